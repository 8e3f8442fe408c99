import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, PodToPatch } from "../model/action.ts";
import { noteAdmission } from "./record-admission.act.ts";

/** Changes labels and annotations of pods to those of the spec; nothing restarts for them. */
export async function patchPods(work: Work, pods: readonly PodToPatch[]): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  return change ?? allOf(pods.map((pod) => patchPod(work, pod)));
}

function patchPod(work: Work, { pod, labels, annotations }: PodToPatch): Promise<ActionOutcome> {
  return unlessChanged(`Pod ${pod.name}`, async () => {
    const patched = await work.writer.patch(resources.pods, pod, { metadata: { labels, annotations } });
    await noteAdmission(work, patched, { labels: texts(labels), annotations: texts(annotations) });
  });
}

/** Without the removed ones. */
function texts(patch: PodToPatch["labels"]): Record<string, string> {
  return Object.fromEntries(Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null));
}
