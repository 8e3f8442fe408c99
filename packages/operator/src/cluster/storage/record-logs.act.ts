import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, DONE, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { formatLogReached } from "../guard/log-reached.ts";
import type { ActionOutcome, LogToNote } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

/**
 * Writes down how far logs have got: on the claim, for the next pod, and on the pod, whose guard runs again when its
 * node was restarted.
 */
export async function recordLogs(work: Work, logs: readonly LogToNote[]): Promise<ActionOutcome> {
  return allOf(logs.map((log) => note(work, log)));
}

async function note({ writer }: Work, { reached, claim, pod }: LogToNote): Promise<ActionOutcome> {
  const annotations = { [ANNOTATIONS.logReached]: formatLogReached(reached) };
  const onClaim = claim
    ? await unlessChanged(`PVC ${claim.name}`, () =>
        writer.annotate(resources.persistentVolumeClaims, claim, annotations),
      )
    : DONE;
  if (onClaim.kind !== "done" || !pod) return onClaim;
  return unlessChanged(`Pod ${pod.name}`, () => writer.annotate(resources.pods, pod, annotations));
}
