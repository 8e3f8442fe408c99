import { namespaceOf } from "../../api/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { hasCode } from "../../kubernetes/kubernetes-error.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { KubeClient } from "../../kubernetes/rest-client.ts";
import { parseSecret, type SecretSeen, type TlsSecrets } from "./parse-secret.ts";
import { TLS_ROLES, type TlsRole, tlsSecretName } from "./secret-roles.ts";

const READ_TIMEOUT_MS = 5_000;

/**
 * Reads the Secrets that the spec names, each by its name; no request when it names none. One that is not there, or that we may
 * not read, is a finding for later; throws when the API server does not tell.
 */
export async function readTlsSecrets(
  client: Pick<KubeClient, "get">,
  cluster: EtcdCluster,
  signal: AbortSignal,
): Promise<TlsSecrets> {
  const read = TLS_ROLES.map(async (role) => {
    const name = tlsSecretName(cluster, role);
    return name === undefined ? [] : [[role, await readSecret(role, name)] as const];
  });
  return Object.fromEntries((await Promise.all(read)).flat());

  async function readSecret(role: TlsRole, name: string): Promise<SecretSeen> {
    try {
      const ref = { namespace: namespaceOf(cluster), name };
      const { data = {} } = await client.get(resources.secrets, ref, { signal, timeoutMs: READ_TIMEOUT_MS });
      return parseSecret(role, name, data);
    } catch (error) {
      if (hasCode(error, "not-found")) return { kind: "missing", name };
      if (hasCode(error, "forbidden")) return { kind: "forbidden", name };
      throw error;
    }
  }
}
