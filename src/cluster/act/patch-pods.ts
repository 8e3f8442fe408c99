import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, PodToPatch } from "../action.ts";
import { allOf, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

/** Changes labels and annotations of pods; nothing restarts for them. */
export async function patchPods({ writer }: Work, pods: readonly PodToPatch[]): Promise<ActionOutcome> {
  return allOf(
    pods.map(({ pod, labels, annotations }) =>
      unlessChanged(`Pod ${pod.name}`, () => writer.patch(resources.pods, pod, { metadata: { labels, annotations } })),
    ),
  );
}
