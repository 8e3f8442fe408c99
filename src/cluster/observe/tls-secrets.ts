import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Clock } from "../../kubernetes/clock.ts";
import { keyOf } from "../../kubernetes/kube-object.ts";
import type { KubeClient } from "../../kubernetes/rest-client.ts";
import type { TlsSecrets } from "../tls/parse-secret.ts";
import { readTlsSecrets } from "../tls/read-tls-secrets.ts";
import { TLS_ROLES, tlsSecretName } from "../tls/secret-roles.ts";

interface Reading {
  /** The names of the Secrets: a spec that names others makes it worthless. */
  readonly names: string;
  readonly atMs: number;
  readonly secrets: TlsSecrets;
}

const GOOD_FOR_MS = 60_000;

/** The Secrets with the members' certificates, read by name and at most once a minute per cluster. */
export class MemberSecrets {
  readonly #client: Pick<KubeClient, "get">;
  readonly #clock: Clock;
  readonly #readings = new Map<string, Reading>();

  constructor(client: Pick<KubeClient, "get">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Undefined when the spec names none. While the API server does not answer, what was read last. */
  async secretsOf(cluster: EtcdCluster, signal: AbortSignal): Promise<TlsSecrets | undefined> {
    const names = TLS_ROLES.map((role) => tlsSecretName(cluster, role) ?? "").join(" ");
    if (names.trim() === "") return undefined;
    const key = keyOf(cluster.metadata);
    const last = this.#readings.get(key);
    const atMs = this.#clock.monotonic();
    const isSame = last?.names === names;
    if (last && isSame && atMs - last.atMs < (isWhole(last.secrets) ? GOOD_FOR_MS : GOOD_FOR_MS / 12))
      return last.secrets;
    try {
      const secrets = await readTlsSecrets(this.#client, cluster, signal);
      this.#readings.set(key, { names, atMs, secrets });
      return secrets;
    } catch (error) {
      signal.throwIfAborted();
      if (last && isSame) return last.secrets;
      throw error;
    }
  }

  forget(key: string): void {
    this.#readings.delete(key);
  }
}

function isWhole(secrets: TlsSecrets): boolean {
  return Object.values(secrets).every((secret) => secret?.kind === "present");
}
