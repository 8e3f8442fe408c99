import type { Stored } from "@etcd-operator/kubernetes-client";
import { RESTORE_UID_ANNOTATION } from "../../api/restore-request.ts";
import { type ClusterRecord, parseClusterRecord } from "../bootstrap/cluster-record.ts";
import { type LogReached, parseLogReached } from "../guard/log-reached.ts";
import type { VersionChange } from "../model/observation.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { isComparable } from "../objects/pod/spec-hash.ts";

/** What the operator wrote on a pod or a claim of a member. */
export interface OwnAnnotations {
  readonly version: string | undefined;
  /** Absent also where another release made it otherwise. */
  readonly specHash: string | undefined;
  readonly askedImage: string | undefined;
  readonly incarnation: number | undefined;
  readonly memberId: string | undefined;
  readonly clusterId: string | undefined;
  readonly clusterUid: string | undefined;
  readonly claimHash: string | undefined;
  readonly returnsWith: VersionChange | undefined;
  readonly fenced: FenceNote | undefined;
  readonly restoreUid: string | undefined;
  readonly logReached: LogReached | undefined;
  readonly record: ClusterRecord | undefined;
  readonly isLeaving: boolean;
}

/** What a pod had when it was stopped for a restore. */
export interface FenceNote {
  readonly image: string;
  /** Of its container, and of the image as the runtime calls it; empty when it had none. */
  readonly containerId: string;
  readonly imageId: string;
  readonly runtimeImage: string;
  /** The image without etcd that was asked for; empty where an earlier release stopped it. */
  readonly askedImage: string;
}

/** Absent, empty or illegible are the same: nothing was written. */
export function ownAnnotations({ metadata }: Pick<Stored, "metadata">): OwnAnnotations {
  const text = (name: string) => metadata.annotations?.[name] || undefined;
  const hash = (name: string) => (isComparable(text(name) ?? "") ? text(name) : undefined);
  const incarnation = text(ANNOTATIONS.incarnation) ?? "";
  const [from, to] = text(ANNOTATIONS.returnsWith)?.split(" ") ?? [];
  const fence = text(ANNOTATIONS.fenced)?.split(" ") ?? [];
  const [image, containerId = "", imageId = "", runtimeImage = "", askedImage = ""] = fence;
  const reached = text(ANNOTATIONS.logReached);
  return {
    version: text(ANNOTATIONS.version),
    specHash: hash(ANNOTATIONS.specHash),
    askedImage: text(ANNOTATIONS.askedImage),
    incarnation: /^\d{1,15}$/.test(incarnation) ? Number(incarnation) : undefined,
    memberId: text(ANNOTATIONS.memberId),
    clusterId: text(ANNOTATIONS.clusterId),
    clusterUid: text(ANNOTATIONS.clusterUid),
    claimHash: hash(ANNOTATIONS.claimHash),
    returnsWith: from && to ? { from, to } : undefined,
    fenced: image ? { image, containerId, imageId, runtimeImage, askedImage } : undefined,
    restoreUid: text(RESTORE_UID_ANNOTATION),
    logReached: reached === undefined ? undefined : parseLogReached(reached),
    record: parseClusterRecord(text(ANNOTATIONS.clusterRecord) ?? ""),
    isLeaving: text(ANNOTATIONS.leaving) !== undefined,
  };
}
