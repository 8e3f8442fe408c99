import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, PodToPatch } from "../action.ts";
import { allOf, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

/** Changes labels and annotations of pods to those of the spec; nothing restarts for them. */
export async function patchPods({ live, writer }: Work, pods: readonly PodToPatch[]): Promise<ActionOutcome> {
  const change = await live.clusterHasChanged();
  if (change) return change;
  return allOf(
    pods.map(({ pod, labels, annotations }) =>
      unlessChanged(`Pod ${pod.name}`, () => writer.patch(resources.pods, pod, { metadata: { labels, annotations } })),
    ),
  );
}
