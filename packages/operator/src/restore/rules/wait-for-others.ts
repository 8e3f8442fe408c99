import { restoreRequestOf } from "../../api/restore-request.ts";
import type { Action } from "../action.ts";
import { attemptId } from "../attempt.ts";
import type { OtherRestore } from "../observation.ts";
import { isUndecided, type Situation } from "../situation.ts";

/** One restore of a cluster at a time: the older comes first, and a running one finishes. */
export function waitForOthers({ seen }: Situation): Action | undefined {
  const { restore, others } = seen;
  const name = restore.spec.etcdCluster.name;
  const createdMs = Date.parse(restore.metadata.creationTimestamp);
  const after = others.find(({ succeededMs }) => succeededMs !== undefined && succeededMs > createdMs);
  if (after) {
    // Restored twice, it would lose writes in between, and this waiting restore may be forgotten.
    const message = `EtcdRestore '${after.name}' has restored EtcdCluster '${name}' since this one was created: to restore this backup anyway, create another EtcdRestore`;
    return { kind: "fail", reason: "Superseded", message };
  }
  const first =
    atWork(seen) ?? others.find((other) => !other.isFinished && isOlder(other, createdMs, restore.metadata.uid));
  if (!first) return undefined;
  const message = `EtcdCluster '${name}' is being restored by EtcdRestore '${first.name}': waiting for it to finish; delete the one that is not needed`;
  return { kind: "hold", reason: "WaitingForOther", message, phase: "Verifying" };
}

function isOlder(other: OtherRestore, createdMs: number, uid: string): boolean {
  return other.createdMs === createdMs ? other.uid < uid : other.createdMs < createdMs;
}

/** The restore that runs on the cluster, or is requested. */
function atWork({ restore, cluster, others }: Situation["seen"]): { readonly name: string } | undefined {
  const ours = attemptId(restore);
  const under = cluster?.status?.restore;
  if (under && under.uid !== ours && isUndecided(under.state)) return under;
  // The request of a deleted restore has no owner any more, and a cluster that lacks only a member may be restored
  // again.
  const request = cluster && restoreRequestOf(cluster.metadata);
  const asked = [request?.uid, under?.uid].filter((uid) => uid !== undefined && uid !== ours);
  return others.find((other) => !other.isFinished && asked.some((uid) => uid?.startsWith(other.uid)));
}
