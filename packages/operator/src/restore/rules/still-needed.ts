import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { Action } from "../action.ts";
import { isOwnedBy } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import type { Situation } from "../situation.ts";

/**
 * A restore that the operator made by itself, because a majority had lost its data, is for that alone. Verifying and
 * saving take a while, and a member that comes back meanwhile has more than any backup. A restore by another client in
 * between takes precedence: also when its data is lost again.
 */
export function stillNeeded({ seen: { restore, cluster } }: Situation): Action | undefined {
  if (!isNeedless(restore, cluster)) return undefined;
  const made = `This EtcdRestore was created because EtcdCluster '${cluster?.metadata.name}' had lost its majority`;
  const other = otherBegun(restore, cluster);
  return other
    ? {
        kind: "fail",
        reason: "Superseded",
        message: `${made}, but EtcdRestore '${other}' has started since; nothing was changed`,
      }
    : { kind: "fail", reason: "QuorumRegained", message: `${made}, but quorum is restored; nothing was changed` };
}

export function isNeedless(restore: Stored<EtcdRestore>, cluster: Stored<EtcdCluster> | undefined): boolean {
  if (cluster === undefined || !isOwnedBy(restore, cluster)) return false;
  return !cluster.status?.majorityLostSince || otherBegun(restore, cluster) !== undefined;
}

/** The restore that the cluster is going through, if it is not this one, nor an earlier attempt of it. */
function otherBegun(restore: Stored<EtcdRestore>, cluster: Stored<EtcdCluster> | undefined): string | undefined {
  const { name, uid, state } = cluster?.status?.restore ?? {};
  return state === "Joining" && !uid?.startsWith(restore.metadata.uid) ? name : undefined;
}

/** The same while something is tried again and again: the majority may be back long before the store is. */
export function needlessInTrouble(now: Situation, run: Observation["runs"]["save"]): Action | undefined {
  return run?.kind === "running" && run.progress?.trouble !== undefined ? stillNeeded(now) : undefined;
}
