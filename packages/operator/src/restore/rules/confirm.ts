import type { Action } from "../action.ts";
import type { Situation } from "../situation.ts";

/** Members write on while they are asked; but none that we have asked ourselves may lack what was restored. */
const RECHECK_MS = 2_000;

/** The cluster reports that it is complete. Its members have to confirm that. */
export function confirm({ seen }: Situation): Action {
  const { restore, cluster, members } = seen;
  const revision = restore.status?.snapshot?.revision ?? 0;
  const size = cluster?.spec.size ?? 0;
  const fit = members.filter((member) => member.isHealthy && !member.isLearner && member.revision >= revision);
  const name = cluster?.metadata.name;
  if (fit.length >= size) {
    const message = `EtcdCluster '${name}' is restored: all ${size} members are healthy, at revision ${revision} or later`;
    return { kind: "succeed", reason: "Restored", message };
  }
  const message = `${fit.length} of ${size} members of EtcdCluster '${name}' report that they are healthy at revision ${revision} or later`;
  const progress = { step: "Checking the members" };
  return { kind: "hold", reason: "Confirming", message, phase: "Joining", progress, recheckAfterMs: RECHECK_MS };
}
