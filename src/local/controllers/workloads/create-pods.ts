import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { isAboutGoingNamespace, KubernetesError } from "../../../kubernetes/kubernetes-error.ts";
import type { SeenWrites } from "./seen-writes.ts";

interface PodWork {
  readonly owner: Stored;
  readonly writes: SeenWrites<Pod>;
  readonly events: EventRecorder;
}

/** Makes pods, first one, then more and more at once: what fails for one fails for all. Returns the first failure. */
export async function createPods({ owner, writes, events }: PodWork, pods: readonly Pod[]): Promise<Error | undefined> {
  let start = 0;
  for (let size = 1; start < pods.length; size *= 2) {
    const batch = pods.slice(start, start + size);
    const results = await Promise.allSettled(batch.map((pod) => writes.create(pod)));
    for (const result of results) {
      if (result.status === "fulfilled") {
        const message = `Created pod: ${result.value.metadata.name}`;
        events.record(owner, { type: "Normal", reason: "SuccessfulCreate", message });
      } else if (!isAboutGoingNamespace(result.reason)) {
        const message = `Error creating: ${messageOf(result.reason)}`;
        events.record(owner, { type: "Warning", reason: "FailedCreate", message });
      }
    }
    const failed = results.find(({ status }) => status === "rejected");
    if (failed) return errorOf((failed as PromiseRejectedResult).reason);
    start += size;
  }
  return undefined;
}

/** Deletes pods; returns the first failure. */
export async function deletePods(
  { owner, writes, events }: PodWork,
  pods: readonly Stored<Pod>[],
): Promise<Error | undefined> {
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      await writes.delete(pod);
      events.record(owner, {
        type: "Normal",
        reason: "SuccessfulDelete",
        message: `Deleted pod: ${pod.metadata.name}`,
      });
    }),
  );
  const failed = results.find(({ status }) => status === "rejected");
  if (!failed) return undefined;
  const { reason } = failed as PromiseRejectedResult;
  events.record(owner, { type: "Warning", reason: "FailedDelete", message: `Error deleting: ${messageOf(reason)}` });
  return errorOf(reason);
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** What the API server said, without what we asked it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof KubernetesError)) return String(error);
  return error.message.replace(`${error.operation} failed: `, "");
}
