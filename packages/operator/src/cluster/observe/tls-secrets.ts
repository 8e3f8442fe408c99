import type { Clock } from "@etcd-operator/kubernetes-client";
import { KubernetesError, keyOf, LeastRecent } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { SecretSeen, TlsSecrets } from "../tls/parse-secret.ts";
import { readTlsSecrets, tlsSecretsIn, versionsIn } from "../tls/read-tls-secrets.ts";
import type { SecretReader } from "../tls/secret-reader.ts";
import { TLS_ROLES, tlsSecretName } from "../tls/secret-roles.ts";

interface Reading {
  /** The names of the Secrets: a spec that names others makes it worthless. */
  readonly names: string;
  readonly atMs: number;
  readonly secrets: TlsSecrets;
  readonly versions: string;
  /** They have been changed since. */
  readonly isOutdated?: boolean;
}

const GOOD_FOR_MS = 60_000;
const SHARED_SECRETS = 64;

/** The Secrets with the members' certificates, read by name. */
export class MemberSecrets {
  readonly #reader: SecretReader;
  readonly #clock: Clock;
  readonly #readings = new Map<string, Reading>();
  /** None of it is key material. */
  readonly #parsed = new LeastRecent<SecretSeen>(SHARED_SECRETS);

  constructor(reader: SecretReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /**
   * Undefined when the spec names none. While the API server does not answer, what was read last, or that nothing was:
   * the rest is seen all the same.
   */
  async secretsOf(cluster: EtcdCluster, signal: AbortSignal): Promise<TlsSecrets | undefined> {
    const names = namesIn(cluster);
    if (names.trim() === "") return undefined;
    const key = keyOf(cluster.metadata);
    const last = this.#readings.get(key);
    const atMs = this.#clock.monotonic();
    const isSame = last?.names === names;
    if (last && isSame && isGood(last, atMs)) return last.secrets;
    try {
      const read = await readTlsSecrets(this.#reader, cluster, signal);
      const versions = versionsIn(read);
      const secrets = last?.versions === versions ? last.secrets : tlsSecretsIn(read, this.#parsed);
      this.#readings.set(key, { names, atMs, secrets, versions });
      return secrets;
    } catch (error) {
      signal.throwIfAborted();
      if (last && isSame) return last.secrets;
      if (!(error instanceof KubernetesError)) throw error;
      return unread(cluster);
    }
  }

  /**
   * Reads the known Secrets again: whether they have changed, which the next reconcile uses. True until one has read
   * them.
   */
  async haveChanged(cluster: EtcdCluster, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(cluster.metadata);
    const last = this.#readings.get(key);
    if (!last || last.names !== namesIn(cluster)) return false;
    if (last.isOutdated) return true;
    const atMs = this.#clock.monotonic();
    const versions = versionsIn(await readTlsSecrets(this.#reader, cluster, signal));
    // Another reconcile has read them meanwhile, or the cluster was deleted.
    if (this.#readings.get(key) !== last) return false;
    const isOutdated = versions !== last.versions;
    this.#readings.set(key, isOutdated ? { ...last, isOutdated } : { ...last, atMs });
    return isOutdated;
  }

  forget(key: string): void {
    this.#readings.delete(key);
  }
}

function unread(cluster: EtcdCluster): TlsSecrets {
  const named = TLS_ROLES.map((role) => [role, tlsSecretName(cluster, role)] as const);
  return Object.fromEntries(
    named.flatMap(([role, name]) => (name === undefined ? [] : [[role, { kind: "unread", name }]])),
  );
}

function namesIn(cluster: EtcdCluster): string {
  return TLS_ROLES.map((role) => tlsSecretName(cluster, role) ?? "").join(" ");
}

function isGood({ atMs, secrets, isOutdated }: Reading, nowMs: number): boolean {
  return !isOutdated && nowMs - atMs < (isWhole(secrets) ? GOOD_FOR_MS : GOOD_FOR_MS / 12);
}

function isWhole(secrets: TlsSecrets): boolean {
  return Object.values(secrets).every((secret) => secret?.kind === "present");
}
