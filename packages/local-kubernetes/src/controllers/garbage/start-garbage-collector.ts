import type { Change, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { KnownResources } from "../discovery/known-resources.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { decideGarbage, type GarbageAction, type OwnerState } from "./decide-garbage.ts";
import {
  FOREGROUND,
  type GraphNode,
  isWaitingForDependents,
  nodeOf,
  ORPHAN,
  OwnershipGraph,
} from "./ownership-graph.ts";

/**
 * Deletes objects when the last of their owners is gone, and sees to it that owners go in the order that was asked for.
 */
export function startGarbageCollector(context: ControllerContext, known: KnownResources): void {
  new GarbageCollector(context, known).start();
}

const UNKNOWN_RETRY_MS = 2_000;

class GarbageCollector {
  readonly #context: ControllerContext;
  readonly #known: KnownResources;
  readonly #graph = new OwnershipGraph();
  readonly #queue: WorkQueue;

  constructor(context: ControllerContext, known: KnownResources) {
    this.#context = context;
    this.#known = known;
    const { signal, log } = context;
    this.#queue = new WorkQueue({ name: "garbage collector", signal, log, work: (uid) => this.#reconcile(uid) });
  }

  start(): void {
    this.#known.follow((resource, change) => this.#notice(resource, change));
  }

  #notice(resource: Resource, change: Change<KubeObject>): void {
    if (change.type === "synced") return;
    const { uid } = change.object.metadata;
    const before = this.#graph.get(uid);
    if (change.type === "deleted") this.#graph.remove(uid);
    else this.#graph.set(nodeOf(resource, change.object));
    const now = this.#graph.get(uid);
    // Owners that wait for it may be free to go; dependents may have lost their last owner, or be waited for.
    for (const owner of [...(before?.owners ?? []), ...(now?.owners ?? [])]) this.#queueIfGoing(owner.uid);
    if (!now || isWaitingForDependents(now)) this.#queueAll(this.#graph.dependentsOf(uid));
    if (now && this.#needsCare(now)) this.#queue.add(uid);
  }

  #needsCare({ isGoing, finalizers, owners }: GraphNode): boolean {
    if (isGoing) return finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND);
    return owners.some(({ uid }) => {
      const owner = this.#graph.get(uid);
      return !owner || isWaitingForDependents(owner);
    });
  }

  #queueIfGoing(uid: string): void {
    if (this.#graph.get(uid)?.isGoing) this.#queue.add(uid);
  }

  #queueAll(nodes: readonly GraphNode[]): void {
    for (const { uid } of nodes) this.#queue.add(uid);
  }

  async #reconcile(uid: string): Promise<Again | undefined> {
    // An object that was not listed yet could be an owner, or a dependent that is waited for.
    if (!this.#known.hasSynced) return { afterMs: 50 };
    const node = this.#graph.get(uid);
    if (!node || !this.#needsCare(node)) return undefined;
    const owners = node.isGoing ? [] : await Promise.all(node.owners.map((owner) => this.#judged(node, owner)));
    const action = decideGarbage({ node, owners, dependents: this.#graph.dependentsOf(uid) });
    await this.#act(node, action);
    return owners.some(({ state }) => state === "unknown") ? { afterMs: UNKNOWN_RETRY_MS } : undefined;
  }

  async #judged(node: GraphNode, reference: OwnerReference): Promise<{ reference: OwnerReference; state: OwnerState }> {
    const owner = this.#graph.get(reference.uid) ?? (await this.#askFor(node, reference));
    if (owner === "absent" || owner === "unknown") return { reference, state: owner };
    return { reference, state: isWaitingForDependents(owner) ? "waiting-for-dependents" : "present" };
  }

  /** The caches of different kinds are not in step: that an owner is gone is believed from the API server only. */
  async #askFor(
    node: GraphNode,
    { apiVersion, kind, name, uid }: OwnerReference,
  ): Promise<GraphNode | "absent" | "unknown"> {
    const { client, signal } = this.#context;
    const resource = this.#known.find(apiVersion, kind);
    if (!resource || (resource.namespaced && !node.ref.namespace)) return "unknown";
    const namespace = resource.namespaced ? node.ref.namespace : undefined;
    try {
      const owner = await client.get(resource, { namespace, name }, { signal });
      return owner.metadata.uid === uid ? nodeOf(resource, owner) : "absent";
    } catch (error) {
      if (hasCode(error, "not-found")) return "absent";
      throw error;
    }
  }

  async #act(node: GraphNode, action: GarbageAction): Promise<void> {
    switch (action.kind) {
      case "none":
        return;
      case "delete":
        return this.#delete(node, action.propagationPolicy);
      case "forget-owners":
        return this.#forgetOwners(node, action.uids);
      case "orphan-dependents":
        await Promise.all(action.dependents.map((dependent) => this.#forgetOwners(dependent, [node.uid])));
        return;
      case "delete-dependents":
        return this.#queueAll(action.dependents);
      case "remove-finalizer":
        return this.#change(node, ({ metadata }) => {
          const finalizers = metadata.finalizers ?? [];
          return finalizers.includes(action.finalizer)
            ? { finalizers: finalizers.filter((it) => it !== action.finalizer) }
            : undefined;
        });
    }
  }

  async #delete(node: GraphNode, propagationPolicy: "Background" | "Foreground" | "Orphan"): Promise<void> {
    const { client, signal } = this.#context;
    const live = await this.#live(node);
    if (!live || live.metadata.deletionTimestamp) return;
    // Decided on owners that the cache knew of: if they have changed since, an event will have it looked at again.
    const uidsOf = (owners: readonly OwnerReference[]) => JSON.stringify(owners.map(({ uid }) => uid).sort());
    if (uidsOf(live.metadata.ownerReferences ?? []) !== uidsOf(node.owners)) return;
    const { uid, resourceVersion } = live.metadata;
    const options = { preconditions: { uid, resourceVersion }, propagationPolicy, signal };
    await client.delete(node.resource, node.ref, options).catch(ignoreMissing);
  }

  async #forgetOwners(node: GraphNode, uids: readonly string[]): Promise<void> {
    await this.#change(node, ({ metadata }) => {
      const owners = metadata.ownerReferences ?? [];
      const kept = owners.filter(({ uid }) => !uids.includes(uid));
      return kept.length < owners.length ? { ownerReferences: kept } : undefined;
    });
  }

  async #change(node: GraphNode, change: (live: Stored<KubeObject>) => object | undefined): Promise<void> {
    const { client, signal } = this.#context;
    const live = await this.#live(node);
    const metadata = live && change(live);
    if (!metadata) return;
    const { uid, resourceVersion } = live.metadata;
    const merge = { metadata: { ...metadata, uid, resourceVersion } };
    await client.patch(node.resource, node.ref, { merge }, { signal }).catch(ignoreMissing);
  }

  /** The object as it is now, if it still is the same. */
  async #live({ resource, ref, uid }: GraphNode): Promise<Stored<KubeObject> | undefined> {
    const { client, signal } = this.#context;
    const live = await client.get(resource, ref, { signal }).catch(ignoreMissing);
    return live?.metadata.uid === uid ? live : undefined;
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, "not-found")) throw error;
}
