import type { Endpoint } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient, isDefragmenting, type MetricsQuestion } from "@etcd-operator/etcd-client";
import type { Clock } from "@etcd-operator/kubernetes-client";
import { keyOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { CLIENT_PORT, METRICS_PORT, memberHost } from "../../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../../api/etcd-cluster.ts";
import { servesTls } from "../../../transfer/trust/serves-tls.ts";
import type { MemberClients } from "../../act/member-clients.ts";
import type { Observation } from "../../model/observation.ts";
import type { SecretReader } from "../../tls/secret-reader.ts";
import { type Credentials, OperatorSecrets } from "./operator-secrets.ts";

/** The way to a member, or why there is none. */
export type Line =
  | { readonly kind: "open"; readonly client: EtcdClient }
  | { readonly kind: "barred"; readonly why: string };

export interface MemberConnectionsOptions {
  readonly secrets: SecretReader;
  readonly clock: Clock;
  /** For tests, whose members do not listen where pods do. */
  readonly connect?: ((endpoint: Endpoint) => EtcdClient) | undefined;
  /** For tests, likewise: whether the metrics at an address show that etcd is defragmenting. */
  readonly readMetrics?: ((address: string, question: MetricsQuestion) => Promise<boolean>) | undefined;
}

/** Its metrics a member answers within milliseconds, also then. */
const METRICS_TIMEOUT_MS = 500;

/**
 * Longer than clusters are left alone where there are few of them; where there are many, connections are closed while
 * they are idle.
 */
const IDLE_MS = 150_000;

interface Connection {
  readonly address: string;
  readonly serverName: string;
  readonly credentials: Credentials | undefined;
  readonly client: EtcdClient;
}

/**
 * One connection to each pod of each cluster, kept from reconcile to reconcile. A pod is dialled at its IP and
 * recognised by its DNS name. Whether it uses TLS was set when it was created; a pod that does is never dialled
 * without.
 */
export class MemberConnections implements MemberClients {
  readonly #secrets: OperatorSecrets;
  readonly #connect: (endpoint: Endpoint) => EtcdClient;
  readonly #readMetrics: MemberConnectionsOptions["readMetrics"];
  /** By cluster, then by the UID of the pod. */
  readonly #connections = new Map<string, Map<string, Connection>>();

  constructor({ secrets, clock, connect, readMetrics }: MemberConnectionsOptions) {
    this.#secrets = new OperatorSecrets(secrets, clock);
    this.#connect = connect ?? connectPatiently;
    this.#readMetrics = readMetrics ?? (connect ? undefined : isDefragmenting);
  }

  /** The way to a pod of a cluster. */
  async lineTo(cluster: EtcdCluster, pod: Stored<Pod>, signal: AbortSignal): Promise<Line> {
    const credentials = servesTls(pod) ? await this.#secrets.credentialsOf(cluster, signal) : undefined;
    return this.#line(cluster, pod, credentials);
  }

  /** After a handshake failed: a new way to the pod, or undefined when the Secret still holds what did not help. */
  async renewedLineTo(cluster: EtcdCluster, pod: Stored<Pod>, signal: AbortSignal): Promise<Line | undefined> {
    const used = this.#connections.get(keyOf(cluster.metadata))?.get(pod.metadata.uid)?.credentials;
    if (!used) return undefined;
    const credentials = await this.#secrets.freshCredentialsOf(cluster, signal);
    return credentials === used ? undefined : this.#line(cluster, pod, credentials);
  }

  /** Whether a member that does not answer is busy with its database: by its metrics, which need no certificate. */
  async isDefragmenting(pod: Stored<Pod>, signal: AbortSignal): Promise<boolean> {
    const { podIP } = pod.status ?? {};
    if (!podIP || !this.#readMetrics) return false;
    return this.#readMetrics(addressOf(podIP, METRICS_PORT), { timeoutMs: METRICS_TIMEOUT_MS, signal });
  }

  /** The connection over which a pod was asked when it was seen. */
  async clientOf({ cluster, pods }: Observation, podName: string): Promise<EtcdClient> {
    const pod = pods.find(({ name }) => name === podName);
    const connection = this.#connections.get(keyOf(cluster.metadata))?.get(pod?.uid ?? "");
    if (connection) return connection.client;
    throw new Error(`no connection to pod '${podName}': ${pod?.answer.why ?? "it is not in the cache yet"}`);
  }

  /** Closes those to pods that are gone. */
  keepOnly(key: string, pods: readonly Stored<Pod>[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of this.#ofCluster(key).keys()) if (!uids.has(uid)) this.#close(key, uid);
  }

  /** Closes those to a cluster that will not be queried for a while; the next query opens them again. */
  letGo(key: string): void {
    this.keepOnly(key, []);
    this.#connections.delete(key);
  }

  forget(key: string): void {
    this.letGo(key);
    this.#secrets.forget(key);
  }

  close(): void {
    for (const key of this.#connections.keys()) this.forget(key);
  }

  #line(cluster: EtcdCluster, pod: Stored<Pod>, credentials: Credentials | undefined): Line {
    const key = keyOf(cluster.metadata);
    const { name, uid } = pod.metadata;
    const [address, serverName] = [addressOf(pod.status?.podIP ?? "", CLIENT_PORT), memberHost(cluster, name)];
    const present = this.#ofCluster(key).get(uid);
    if (present && isTo(present, { address, serverName, credentials })) return { kind: "open", client: present.client };
    this.#close(key, uid);
    if (credentials?.kind === "unusable") return { kind: "barred", why: credentials.why };
    const client = this.#connect({ address, ...(credentials && { tls: credentials.tls, serverName }) });
    this.#ofCluster(key).set(uid, { address, serverName, credentials, client });
    return { kind: "open", client };
  }

  #ofCluster(key: string): Map<string, Connection> {
    const known = this.#connections.get(key);
    if (known) return known;
    const connections = new Map<string, Connection>();
    this.#connections.set(key, connections);
    return connections;
  }

  #close(key: string, uid: string): void {
    const connections = this.#ofCluster(key);
    connections.get(uid)?.client.close();
    connections.delete(uid);
  }
}

function connectPatiently(endpoint: Endpoint): EtcdClient {
  return connectEtcd(endpoint, { keepAlive: { idleTimeoutMs: IDLE_MS } });
}

function isTo(connection: Connection, wanted: Omit<Connection, "client">): boolean {
  const { address, serverName, credentials } = connection;
  return address === wanted.address && serverName === wanted.serverName && credentials === wanted.credentials;
}

function addressOf(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}
