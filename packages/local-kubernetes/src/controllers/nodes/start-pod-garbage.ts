import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";
import { disruptionTarget } from "./disruption-target.ts";

/** A node that is not there may only be late. */
const QUARANTINE_MS = 40_000;

/** Removes pods that no kubelet will ever end: those of nodes that are gone for good. */
export function startPodGarbage(context: ControllerContext): void {
  const { informers, signal, log, clock } = context;
  const queue = new WorkQueue({ name: "pod garbage", signal, log, clock, work: (node) => collect(context, node) });
  informers.pods.onChange((change) => {
    const nodeName = change.type === "synced" || change.type === "deleted" ? "" : change.object.spec?.nodeName;
    if (!nodeName) return;
    if (!informers.nodes.cache.get({ name: nodeName })) queue.addAfter(nodeName, QUARANTINE_MS);
  });
  informers.nodes.onChange((change) => {
    if (change.type === "deleted") queue.addAfter(change.object.metadata.name, QUARANTINE_MS);
  });
}

async function collect(context: ControllerContext, nodeName: string): Promise<undefined> {
  const { client, informers, signal } = context;
  await informers.pods.cache.waitForSync(signal);
  const pods = informers.pods.cache.list().filter(({ spec }) => spec?.nodeName === nodeName);
  if (pods.length === 0) return undefined;
  // The pods' data may hang on it, so the API server itself is asked.
  const node = await client.get(resources.nodes, { name: nodeName }, { signal }).catch((error: unknown) => {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  });
  if (!node) await Promise.all(pods.map((pod) => remove(context, pod)));
  return undefined;
}

async function remove(context: ControllerContext, pod: Stored<Pod>): Promise<void> {
  const { client, signal, clock } = context;
  const { namespace, name, uid } = pod.metadata;
  const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
  const isOver = ["Succeeded", "Failed"].includes(pod.status?.phase ?? "");
  const status = {
    ...(!isOver && { phase: "Failed" }),
    conditions: [disruptionTarget(why, clock.now())],
  };
  try {
    const strategic = { metadata: { uid }, status };
    if (!isOver) await client.patchStatus(resources.pods, { namespace, name }, { strategic }, { signal });
    await client.delete(resources.pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  } catch (error) {
    if (!hasCode(error, "not-found", "conflict")) throw error;
  }
}
