import { idOf, listOf, type Rule } from "../model/situation.ts";
import { metadataPatch } from "../objects/pod/pod-metadata.ts";

/** Labels and annotations change on pods that run: nothing restarts for them. */
export const patchMetadata: Rule = ({ seen, spec }) => {
  const pods = seen.pods.flatMap((pod) => {
    // A pod of coreos/etcd-operator does not record what came from the spec; it gets the current spec.
    const patch = pod.isTerminating ? undefined : metadataPatch(pod.metadata, spec);
    return patch ? [{ pod: idOf(pod), ...patch }] : [];
  });
  if (pods.length === 0) return undefined;
  const message = `Updating labels and annotations of ${listOf(pods.map(({ pod }) => pod.name))}`;
  return { kind: "patch-pods", pods, reason: "PatchingPods", message };
};
