import type { LeastRecent, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { namespaceOf } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { parseSecret, type SecretSeen, type TlsSecrets } from "./parse-secret.ts";
import type { SecretReader } from "./secret-reader.ts";
import { TLS_ROLES, type TlsRole, tlsSecretName } from "./secret-roles.ts";

/** A Secret that the spec names for something, or why there is none. */
export interface SecretRead {
  readonly role: TlsRole;
  readonly name: string;
  readonly found: Stored<Secret> | "missing" | "forbidden";
}

/**
 * Reads the Secrets that the spec names, each by its name; no request when it names none. One that is not there, or
 * that we may not read, is a finding for later; throws when the API server does not answer.
 */
export async function readTlsSecrets(
  reader: SecretReader,
  cluster: EtcdCluster,
  signal: AbortSignal,
): Promise<readonly SecretRead[]> {
  const read = TLS_ROLES.map(async (role) => {
    const name = tlsSecretName(cluster, role);
    return name === undefined ? [] : [{ role, name, found: await readSecret(name) }];
  });
  return (await Promise.all(read)).flat();

  async function readSecret(name: string): Promise<SecretRead["found"]> {
    try {
      return await reader.read({ namespace: namespaceOf(cluster), name }, signal);
    } catch (error) {
      if (hasCode(error, "not-found")) return "missing";
      if (hasCode(error, "forbidden")) return "forbidden";
      throw error;
    }
  }
}

/** @param parsed the previous ones, of the same API server: many clusters may name the same Secret */
export function tlsSecretsIn(read: readonly SecretRead[], parsed: LeastRecent<SecretSeen>): TlsSecrets {
  return Object.fromEntries(read.map((each) => [each.role, secretSeen(each, parsed)]));
}

/** The same for two reads of the same Secrets without a change in between. */
export function versionsIn(read: readonly SecretRead[]): string {
  return read
    .map(({ role, name, found }) => `${role} ${name} ${typeof found === "string" ? found : versionOf(found)}`)
    .join("\n");
}

/** The same as long as it is the same Secret, unchanged. */
export function versionOf({ metadata }: Stored<Secret>): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}

function secretSeen({ role, name, found }: SecretRead, parsed: LeastRecent<SecretSeen>): SecretSeen {
  if (typeof found === "string") return { kind: found, name };
  return parsed.get(`${role} ${name} ${versionOf(found)}`, () => parseSecret(role, name, found.data ?? {}));
}
