import { isDeepStrictEqual } from "node:util";
import { hasCode, keyOf, refOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod, Taint } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isFinished } from "../pod-facts.ts";
import { tolerates } from "../scheduling/taints.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { disruptionTarget } from "./disruption-target.ts";

/** Deletes pods from nodes whose taints they do not tolerate, or no longer. */
export function startTaintEviction(context: ControllerContext): void {
  const { informers, signal, log, clock } = context;
  const eviction = new TaintEviction(context);
  const queue = new WorkQueue({ name: "eviction", signal, log, clock, work: (key) => eviction.reconcile(key) });
  informers.pods.onChange((change) => {
    if (change.type === "synced") return;
    const facts = ({ spec }: Pod) => [spec?.nodeName, spec?.tolerations];
    const isNews = change.type !== "modified" || !isDeepStrictEqual(facts(change.old), facts(change.object));
    if (isNews && change.object.spec?.nodeName) queue.add(keyOf(change.object.metadata));
  });
  informers.nodes.onChange((change) => {
    if (change.type === "synced") return;
    const { old } = change.type === "modified" ? change : { old: undefined };
    if (isDeepStrictEqual(old?.spec?.taints ?? [], change.object.spec?.taints ?? [])) return;
    for (const pod of informers.pods.cache.list())
      if (pod.spec?.nodeName === change.object.metadata.name) queue.add(keyOf(pod.metadata));
  });
}

class TaintEviction {
  readonly #context: ControllerContext;
  /** Since when pods are on a node that evicts, by uid. */
  readonly #since = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: string): Promise<Again | undefined> {
    const { informers, signal, clock, events } = this.#context;
    await Promise.all([informers.pods, informers.nodes].map(({ cache }) => cache.waitForSync(signal)));
    const pod = informers.pods.cache.get(refOf(key));
    if (!pod || pod.metadata.deletionTimestamp || isFinished(pod)) {
      if (pod) this.#since.delete(pod.metadata.uid);
      return undefined;
    }
    const node = informers.nodes.cache.get({ name: pod.spec?.nodeName ?? "" });
    const mayStayMs = toleratedMs(pod, node?.spec?.taints ?? []);
    if (mayStayMs === undefined) {
      if (this.#since.delete(pod.metadata.uid)) {
        const message = `Cancelling deletion of Pod ${key}`;
        events.record(pod, { type: "Normal", reason: "TaintManagerEviction", message });
      }
      return undefined;
    }
    const since = this.#since.get(pod.metadata.uid) ?? clock.monotonic();
    this.#since.set(pod.metadata.uid, since);
    const leftMs = since + mayStayMs - clock.monotonic();
    if (leftMs > 0) return { afterMs: leftMs };
    await this.#evict(pod);
    return undefined;
  }

  async #evict(pod: Stored<Pod>): Promise<void> {
    const { client, events, signal, clock } = this.#context;
    const { namespace, name, uid } = pod.metadata;
    const message = `Marking for deletion Pod ${namespace}/${name}`;
    events.record(pod, { type: "Normal", reason: "TaintManagerEviction", message });
    const why = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };
    const conditions = [disruptionTarget(why, clock.now())];
    try {
      const strategic = { metadata: { uid }, status: { conditions } };
      await client.patchStatus(resources.pods, { namespace, name }, { strategic }, { signal });
      await client.delete(resources.pods, { namespace, name }, { preconditions: { uid }, signal });
    } catch (error) {
      if (!hasCode(error, "not-found", "conflict")) throw error;
    }
    this.#since.delete(uid);
  }
}

/** How long a pod may stay on a node with these taints that evict; undefined for as long as it likes. */
export function toleratedMs({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  const seconds: number[] = [];
  for (const taint of taints.filter(({ effect }) => effect === "NoExecute")) {
    const used = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (used.length === 0) return 0;
    seconds.push(...used.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []));
  }
  return seconds.length === 0 ? undefined : Math.max(0, Math.min(...seconds)) * 1000;
}
