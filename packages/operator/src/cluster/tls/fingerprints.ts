import { digestOf } from "./certificate.ts";
import { poolOf, shownBy } from "./material.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_ROLES, type TlsRole } from "./secret-roles.ts";

export interface Fingerprint {
  /** Of the certificate and its chain; etcd reads them for every handshake, so a change needs no restart. */
  readonly leaf: string | undefined;
  /** Of the bundle, each authority by its own; the order does not matter. A change reaches etcd by a restart only. */
  readonly ca: string | undefined;
}

/**
 * What the Secrets hold, in a form to be written down and compared; undefined what cannot be parsed. Keys are no part
 * of it.
 */
export function fingerprintsOf(secrets: TlsSecrets): Readonly<Partial<Record<TlsRole, Fingerprint>>> {
  const present = TLS_ROLES.filter((role) => secrets[role]?.kind === "present");
  return Object.fromEntries(present.map((role) => [role, fingerprintOf(role, secrets)]));
}

function fingerprintOf(role: TlsRole, secrets: TlsSecrets): Fingerprint {
  const [shown, pool] = [shownBy(role, secrets), poolOf(role, secrets)];
  const entries = pool?.certificates.map(({ identity, digest }) => `${identity}.${digest}`);
  return {
    leaf: shown && digestOf(...[shown.leaf, ...shown.intermediates].map(({ digest }) => digest)),
    ca: entries && [...new Set(entries)].sort().join(","),
  };
}
