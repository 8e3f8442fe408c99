import type { Certificate } from "./certificate.ts";
import type { Presented } from "./chains.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_KEYS, type TlsRole } from "./secret-roles.ts";

/** Where a file is. */
export interface Place {
  readonly secret: string;
  readonly key: string;
}

/** What a program shows of itself. */
export type Shown = Presented & Place;

/** The CAs that a program trusts. */
export interface Pool extends Place {
  readonly certificates: readonly Certificate[];
}

/** What the Secret of a role lets its user show; undefined when it is not there, or holds nothing usable. */
export function shownBy(role: TlsRole, secrets: TlsSecrets): Shown | undefined {
  const secret = secrets[role];
  if (secret?.kind !== "present" || secret.certificate.kind !== "usable") return undefined;
  const [leaf, ...intermediates] = secret.certificate.certificates;
  return leaf && { secret: secret.name, key: TLS_KEYS[role].certificate, leaf, intermediates };
}

/** The CAs that the Secret of a role makes its user trust; undefined when it does not exist, or has nothing usable. */
export function poolOf(role: TlsRole, secrets: TlsSecrets): Pool | undefined {
  const secret = secrets[role];
  if (secret?.kind !== "present" || secret.ca.kind !== "usable") return undefined;
  return { secret: secret.name, key: TLS_KEYS[role].ca, certificates: secret.ca.certificates };
}
