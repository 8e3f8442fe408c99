import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { RestoreRequest } from "../../api/restore-request.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import { attemptId, isTrue } from "../attempt.ts";

/** What is asked of the cluster, from what is on record. */
export function requestOf(restore: Stored<EtcdRestore>): RestoreRequest {
  const { revision = 0, sizeBytes = 0, sha256 = "" } = restore.status?.snapshot ?? {};
  const { revisionBump } = restore.spec;
  const isSaved = isTrue(restore, "Saved");
  const of = { name: restore.metadata.name, uid: attemptId(restore) };
  return { ...of, revision, sizeBytes, sha256, revisionBump, ...(isSaved && { isSaved }) };
}
