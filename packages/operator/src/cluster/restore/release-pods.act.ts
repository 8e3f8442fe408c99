import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, DONE, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ObjectId, Step } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ETCD_CONTAINER } from "../objects/pod/pod.ts";
import { containerToReplace } from "../observe/etcd-container.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";

type ReleasePods = Extract<Step, { kind: "release-pods" }>;

/** Gives pods back what they ran before they were stopped. */
export async function releasePods(work: Work, { pods }: ReleasePods): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  return change ?? allOf(pods.map(({ pod, image }) => release(work, pod, image)));
}

async function release({ live, writer }: Work, { name, uid }: ObjectId, image: string): Promise<ActionOutcome> {
  const pod = await live.find(resources.pods, name);
  if (!pod || pod.metadata.uid !== uid) return postponed(`Pod ${name} does not exist any more`);
  if (!ownAnnotations(pod).fenced) return DONE;
  const annotations = { [ANNOTATIONS.fenced]: null, [ANNOTATIONS.replacedContainer]: containerToReplace(pod) };
  const containers = [{ name: ETCD_CONTAINER, image }];
  return unlessChanged(`Pod ${name}`, () =>
    writer.patchStrategic(resources.pods, pod.metadata, { metadata: { annotations }, spec: { containers } }),
  );
}
