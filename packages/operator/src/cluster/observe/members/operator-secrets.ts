import type { Clock } from "@etcd-operator/kubernetes-client";
import { hasCode, keyOf, messageOf, type ObjectRef } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../../api/etcd-cluster.ts";
import { type ClientCertificate, clientCertificateIn } from "../../../transfer/trust/client-certificate.ts";
import { versionOf } from "../../tls/read-tls-secrets.ts";
import type { SecretReader } from "../../tls/secret-reader.ts";

/** What the operator proves its identity to members with; the same object as long as the Secret holds the same. */
export type Credentials = ClientCertificate;

interface Reading {
  readonly atMs: number;
  readonly found: Promise<Found>;
  isUsable: boolean;
}

interface Found {
  readonly credentials: Credentials;
  /** That of the Secret they were in. */
  readonly version?: string;
}

const GOOD_FOR_MS = 60_000;
// Something is wrong and may be fixed at any moment; but not every reconcile may cost a request.
const LEAST_AGE_MS = 5_000;

/**
 * The Secrets with the operator's certificates, read by name: at most once a minute while all is healthy. Clusters that
 * name the same one share what is made of it.
 */
export class OperatorSecrets {
  readonly #reader: SecretReader;
  readonly #clock: Clock;
  /** By the key of the Secret. */
  readonly #readings = new Map<string, Reading>();
  /** By the key of the cluster. */
  readonly #named = new Map<string, string>();

  constructor(reader: SecretReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  async credentialsOf(cluster: EtcdCluster, signal: AbortSignal): Promise<Credentials> {
    return this.#notOlderThan(GOOD_FOR_MS, cluster, signal);
  }

  /** For when a server did not accept them: they are read again, unless that was done a moment ago. */
  async freshCredentialsOf(cluster: EtcdCluster, signal: AbortSignal): Promise<Credentials> {
    return this.#notOlderThan(LEAST_AGE_MS, cluster, signal);
  }

  /** Those that no other cluster names are dropped, too. */
  forget(key: string): void {
    const secret = this.#named.get(key);
    this.#named.delete(key);
    if (secret !== undefined && ![...this.#named.values()].includes(secret)) this.#readings.delete(secret);
  }

  async #notOlderThan(maxAgeMs: number, cluster: EtcdCluster, signal: AbortSignal): Promise<Credentials> {
    const { name, namespace } = cluster.metadata;
    const secret = cluster.spec.TLS?.static?.operatorSecret;
    if (!secret) return unusable("it serves TLS, but spec.TLS.static.operatorSecret is not set");
    const ref = { namespace, name: secret };
    this.#note(keyOf({ namespace, name }), keyOf(ref));
    return this.#credentialsIn(ref, maxAgeMs, signal);
  }

  #note(cluster: string, secret: string): void {
    if (this.#named.get(cluster) === secret) return;
    this.forget(cluster);
    this.#named.set(cluster, secret);
  }

  async #credentialsIn(ref: ObjectRef, maxAgeMs: number, signal: AbortSignal): Promise<Credentials> {
    const key = keyOf(ref);
    const last = this.#readings.get(key);
    const nowMs = this.#clock.monotonic();
    if (last && nowMs - last.atMs < (last.isUsable ? maxAgeMs : LEAST_AGE_MS)) {
      const shared = await last.found.catch(() => undefined);
      if (shared) return shared.credentials;
      // The read was cancelled for another cluster, which says nothing about the Secret.
      signal.throwIfAborted();
      return this.#credentialsIn(ref, maxAgeMs, signal);
    }
    const found = this.#read(ref, last, signal);
    const reading: Reading = { atMs: nowMs, found, isUsable: true };
    this.#readings.set(key, reading);
    try {
      const { credentials } = await found;
      reading.isUsable = credentials.kind === "usable";
      return credentials;
    } catch (error) {
      if (this.#readings.get(key) === reading) this.#readings.delete(key);
      throw error;
    }
  }

  async #read(ref: ObjectRef, before: Reading | undefined, signal: AbortSignal): Promise<Found> {
    const last = await before?.found.catch(() => undefined);
    try {
      const secret = await this.#reader.read(ref, signal);
      const version = versionOf(secret);
      if (last?.version === version) return last;
      const now = clientCertificateIn(secret, quoted(ref));
      return { version, credentials: last && isSame(last.credentials, now) ? last.credentials : now };
    } catch (error) {
      signal.throwIfAborted();
      if (hasCode(error, "not-found")) return { credentials: unusable(`${quoted(ref)} does not exist: create it`) };
      // What was good a minute ago is better than nothing while the API server is away.
      if (last?.credentials.kind === "usable" && hasCode(error, "timeout", "unavailable", "too-many-requests"))
        return last;
      const why = messageOf(error);
      return { credentials: unusable(`${quoted(ref)} cannot be read: ${why}`) };
    }
  }
}

function isSame(a: Credentials, b: Credentials): boolean {
  if (a.kind !== "usable" || b.kind !== "usable") return false;
  return a.tls.ca === b.tls.ca && a.tls.cert === b.tls.cert && a.tls.key === b.tls.key;
}

function quoted(ref: ObjectRef): string {
  return `Secret '${keyOf(ref)}' of spec.TLS.static.operatorSecret`;
}

function unusable(why: string): Credentials {
  return { kind: "unusable", why };
}
