import { isDeepStrictEqual } from "node:util";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, Informer, resources } from "@etcd-operator/kubernetes-client";
import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import type { Node, Pod } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isReady } from "../pod-facts.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { conditionsOfSilentNode, readiness, wantedTaints } from "./node-health.ts";

export interface NodeLifecycleOptions {
  /** How long a node may be silent. */
  readonly graceMs?: number;
}

const LEASES = "kube-node-lease";
const USUAL_GRACE_MS = 50_000;

/** Notices nodes that are no longer heard of, and says by taints what that means for pods. */
export function startNodeLifecycle(context: ControllerContext, options: NodeLifecycleOptions = {}): void {
  const { client, informers, signal, log, clock } = context;
  const onError = (error: unknown) => log(`node leases: ${String(error)}`);
  const leases = new Informer<Lease>({ client, resource: resources.leases, namespace: LEASES, onError });
  const lifecycle = new NodeLifecycle(context, leases, options.graceMs ?? USUAL_GRACE_MS);
  const queue = new WorkQueue({ name: "nodes", signal, log, clock, work: (name) => lifecycle.reconcile(name) });
  leases.onChange((change) => {
    if (change.type !== "synced") queue.add(change.object.metadata.name);
  });
  informers.nodes.onChange((change) => {
    if (change.type === "synced") return;
    if (change.type === "added") {
      const { name } = change.object.metadata;
      const message = `Node ${name} event: Registered Node ${name} in Controller`;
      context.events.record(change.object, { type: "Normal", reason: "RegisteredNode", message });
    }
    queue.add(change.object.metadata.name);
    // Whether any node is there decides about all of them.
    const isTurn = change.type !== "modified" || readiness(change.old) !== readiness(change.object);
    if (isTurn) for (const { metadata } of informers.nodes.cache.list()) queue.add(metadata.name);
  });
  void leases.run(signal);
}

/** The last sign of life of a node, and when we saw it. */
interface Sign {
  readonly what: string;
  readonly atMs: number;
}

class NodeLifecycle {
  readonly #context: ControllerContext;
  readonly #leases: Informer<Lease>;
  readonly #graceMs: number;
  readonly #signs = new Map<string, Sign>();

  constructor(context: ControllerContext, leases: Informer<Lease>, graceMs: number) {
    this.#context = context;
    this.#leases = leases;
    this.#graceMs = graceMs;
  }

  async reconcile(name: string): Promise<Again | undefined> {
    const { informers, signal } = this.#context;
    const caches = [informers.nodes.cache, informers.pods.cache, this.#leases.cache];
    await Promise.all(caches.map((cache) => cache.waitForSync(signal)));
    const node = informers.nodes.cache.get({ name });
    if (!node) {
      this.#signs.delete(name);
      return undefined;
    }
    const quietMs = this.#quietMs(node, this.#leases.cache.get({ namespace: LEASES, name }));
    const isSilent = quietMs >= this.#graceMs && !(await this.#isHeardOf(node));
    if (isSilent && (await this.#giveUp(node))) return undefined;
    if (isSilent) await this.#markPods(node);
    await this.#taint(node);
    return isSilent ? undefined : { afterMs: Math.max(this.#graceMs - quietMs, 1) };
  }

  /** Measured from when we saw a sign of life, by our own clock: others' may be wrong. */
  #quietMs({ metadata: { name }, status }: Stored<Node>, lease: Lease | undefined): number {
    const heartbeat = status?.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime;
    const what = `${lease?.spec?.renewTime} ${heartbeat}`;
    const now = this.#context.clock.monotonic();
    const last = this.#signs.get(name);
    if (last?.what === what) return now - last.atMs;
    this.#signs.set(name, { what, atMs: now });
    return 0;
  }

  /**
   * Asks the API server itself: a watch that is late is no reason to give a node up. Nor is a server that does not
   * answer, for nodes cannot tell it anything either: a node that was not seen meanwhile has all the time again.
   */
  async #isHeardOf({ metadata: { name } }: Stored<Node>): Promise<boolean> {
    const { client, clock, signal } = this.#context;
    try {
      const node = await client.get(resources.nodes, { name }, { signal });
      const lease = await client.get(resources.leases, { namespace: LEASES, name }, { signal }).catch(unlessMissing);
      return this.#quietMs(node, lease) < this.#graceMs;
    } catch (error) {
      this.#signs.set(name, { what: this.#signs.get(name)?.what ?? "", atMs: clock.monotonic() });
      throw error;
    }
  }

  /** True when that was news, which comes back as an event. */
  async #giveUp(node: Stored<Node>): Promise<boolean> {
    const { client, events, signal } = this.#context;
    const conditions = conditionsOfSilentNode(node, this.#now());
    if (isDeepStrictEqual(conditions, node.status?.conditions)) return false;
    const wasReady = readiness(node) === "True";
    const { name, resourceVersion } = node.metadata;
    const merge = { metadata: { resourceVersion }, status: { conditions } };
    await client.patchStatus(resources.nodes, { name }, { merge }, { signal });
    if (wasReady) {
      const message = `Node ${name} status is now: NodeNotReady`;
      events.record(node, { type: "Normal", reason: "NodeNotReady", message });
    }
    return true;
  }

  /** It is not known whether these are ready, so nothing is sent to them any more. */
  async #markPods({ metadata }: Stored<Node>): Promise<void> {
    const { client, events, informers, signal } = this.#context;
    const ready = informers.pods.cache.list().filter((pod) => pod.spec?.nodeName === metadata.name && isReady(pod));
    await Promise.all(
      ready.map(async (pod) => {
        const merge = { metadata: { uid: pod.metadata.uid }, status: { conditions: notReady(pod, this.#now()) } };
        await client
          .patchStatus(resources.pods, pod.metadata, { strategic: merge }, { signal })
          .catch((error: unknown) => {
            if (!hasCode(error, "not-found", "conflict")) throw error;
          });
        events.record(pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" });
      }),
    );
  }

  async #taint(node: Stored<Node>): Promise<void> {
    const { client, informers, signal } = this.#context;
    const isAnyReady = informers.nodes.cache.list().some((it) => readiness(it) === "True");
    const taints = wantedTaints(node, isAnyReady, this.#now());
    if (isDeepStrictEqual(taints, node.spec?.taints ?? [])) return;
    const { name, resourceVersion } = node.metadata;
    const merge = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
    await client.patch(resources.nodes, { name }, { merge }, { signal });
  }

  #now(): string {
    return new Date(this.#context.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }
}

function notReady({ status }: Pod, now: string): object[] {
  return (status?.conditions ?? [])
    .filter(({ type }) => type === "Ready")
    .map((condition) => ({ ...condition, status: "False", lastTransitionTime: now }));
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, "not-found")) throw error;
}
