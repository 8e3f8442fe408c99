import { resources } from "@etcd-operator/kubernetes-client";
import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import { RESTORED } from "../../transfer/names.ts";
import { allOf, DONE, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { formatClusterRecord } from "../bootstrap/cluster-record.ts";
import type { ActionOutcome, MemberToIdentify } from "../model/action.ts";
import type { PodSeen } from "../model/observation.ts";
import { formatAdmissionNote } from "../objects/admission-note.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { initialClusterOfJoined } from "../objects/pod/initial-cluster.ts";
import { caAnnotations } from "../objects/pod/pod.ts";

/**
 * Writes down whose data lies where. The claim comes first: it outlives the pod, and a pod may return only to what its
 * claim says.
 */
export async function identifyMembers(
  work: Work,
  clusterId: string,
  members: readonly MemberToIdentify[],
): Promise<ActionOutcome> {
  return allOf(members.map((member) => identify(work, clusterId, member)));
}

async function identify(
  { seen, writer }: Work,
  clusterId: string,
  { memberId, claim, claimHash, record, pod, specHash, version, changedImage, ca }: MemberToIdentify,
): Promise<ActionOutcome> {
  const annotations = { [ANNOTATIONS.memberId]: memberId, [ANNOTATIONS.clusterId]: clusterId };
  const onlyOnClaim = {
    ...(claimHash !== undefined && { [ANNOTATIONS.claimHash]: claimHash }),
    ...(record && { [ANNOTATIONS.clusterRecord]: formatClusterRecord(record) }),
  };
  const changes = { metadata: { annotations: { ...annotations, ...onlyOnClaim } } };
  const onClaim = claim
    ? await unlessChanged(`PVC ${claim.name}`, () => writer.patch(resources.persistentVolumeClaims, claim, changes))
    : DONE;
  if (onClaim.kind !== "done" || !pod) return onClaim;
  // From its next start on, in this pod or the next, it starts from its log or not at all.
  const found = seen.pods.find(({ uid }) => uid === pod.uid);
  const isRestored = found?.restoring !== undefined;
  const onPod = {
    ...annotations,
    // In the same write: its init containers must not restore again over data that has changed since.
    ...(isRestored && RESTORED),
    ...initialClusterOfJoined(pod.name, memberAddresses(seen.cluster, pod.name).peerUrl),
    ...(specHash !== undefined && { [ANNOTATIONS.specHash]: specHash }),
    ...(version !== undefined && { [ANNOTATIONS.version]: version }),
    ...(changedImage !== undefined && notesOnImage(changedImage, found)),
    ...caAnnotations(ca),
  };
  return unlessChanged(`Pod ${pod.name}`, () => writer.annotate(resources.pods, pod, onPod));
}

function notesOnImage(image: string, found: PodSeen | undefined): Record<string, string> {
  const { labels = {}, annotations = {} } = found?.metadata.changedByAdmission ?? {};
  return {
    [ANNOTATIONS.askedImage]: image,
    [ANNOTATIONS.changedByAdmission]: formatAdmissionNote({ image, labels, annotations }),
  };
}
