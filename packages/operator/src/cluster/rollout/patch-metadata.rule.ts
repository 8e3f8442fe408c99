import { idOf, listOf, type Rule } from "../model/situation.ts";
import { metadataPatch } from "../objects/pod/pod-metadata.ts";

/** Labels and annotations change on pods that run: nothing restarts for them. */
export const patchMetadata: Rule = ({ seen, spec }) => {
  const pods = seen.pods.flatMap((pod) => {
    // A pod of the old operator does not say what came from the spec; it gets what the spec says now.
    const patch = pod.isTerminating ? undefined : metadataPatch(pod.metadata, spec);
    return patch ? [{ pod: idOf(pod), ...patch }] : [];
  });
  if (pods.length === 0) return undefined;
  const message = `Labels and annotations of ${listOf(pods.map(({ pod }) => pod.name))} as the spec says`;
  return { kind: "patch-pods", pods, reason: "PatchingPods", message };
};
