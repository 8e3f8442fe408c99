import type { Clock, KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { Node } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { NodeSeen, PodSeen } from "../model/observation.ts";
import { nodeSeen } from "./node-seen.ts";

/** The zone of a node does not change; which nodes there are does, slowly. */
const GOOD_FOR_MS = 600_000;
/** For a pod on a node that is not known, and after a failure. */
const AT_MOST_EVERY_MS = 60_000;
/** With fewer members no zone can be lost without the majority, or there is nothing to spread. */
const FEWEST_MEMBERS = 3;

/**
 * The nodes of Kubernetes, read once for all clusters, and not watched: their kubelets write them every few minutes,
 * and of that nothing is of interest here. No check of a cluster waits for them but the first.
 */
export class NodeMemory {
  readonly #client: Pick<KubeClient, "list">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #closing = new AbortController();
  #nodes: readonly Stored<Node>[] | undefined;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #isFirstOver = false;
  #hasFailed = false;

  constructor(client: Pick<KubeClient, "list">, clock: Pick<Clock, "monotonic">) {
    this.#client = client;
    this.#clock = clock;
  }

  /** As a cluster sees them; undefined where they are of no use to it, or may not be read. */
  async seenBy({ spec }: EtcdCluster, pods: readonly PodSeen[]): Promise<readonly NodeSeen[] | undefined> {
    if (spec.size < FEWEST_MEMBERS || pods.every(({ nodeName }) => nodeName === undefined)) return undefined;
    if (this.#isToBeRead(pods)) this.#reading ??= this.#read();
    if (!this.#isFirstOver) await this.#reading;
    return this.#nodes?.map((node) => nodeSeen(node, spec));
  }

  close(): void {
    this.#closing.abort();
  }

  #isToBeRead(pods: readonly PodSeen[]): boolean {
    const ageMs = this.#clock.monotonic() - this.#readAtMs;
    if (ageMs < AT_MOST_EVERY_MS) return false;
    if (ageMs >= GOOD_FOR_MS || this.#hasFailed) return true;
    const known = new Set(this.#nodes?.map(({ metadata }) => metadata.name));
    return this.#nodes !== undefined && pods.some(({ nodeName }) => nodeName !== undefined && !known.has(nodeName));
  }

  async #read(): Promise<void> {
    try {
      const { signal } = this.#closing;
      this.#nodes = (await this.#client.list(resources.nodes, { signal, keep: whatCounts })).items;
      this.#hasFailed = false;
    } catch (error) {
      const isBarred = hasCode(error, "forbidden");
      // What was known is true for longer than most outages last.
      if (isBarred) this.#nodes = undefined;
      this.#hasFailed = !isBarred;
    } finally {
      this.#readAtMs = this.#clock.monotonic();
      this.#isFirstOver = true;
      this.#reading = undefined;
    }
  }
}

/** Most of a node is the list of its images. */
function whatCounts({ apiVersion, kind, metadata, spec, status }: Stored<Node>): Stored<Node> {
  const { name, uid, resourceVersion, creationTimestamp, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, creationTimestamp, ...(labels && { labels }) },
    spec: { ...(spec?.unschedulable && { unschedulable: true }), ...(spec?.taints && { taints: spec.taints }) },
    status: { conditions: status?.conditions?.filter(({ type }) => type === "Ready") ?? [] },
  };
}
