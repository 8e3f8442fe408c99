import type { Action } from "../model/action.ts";
import { LASTING, lastedMs } from "../model/lasting.ts";
import type { LastStanding, PodSeen, SetAsidePod } from "../model/observation.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { activeRestore, hasAllSaved, isKept, type RestoreStatus, undecidedRestore } from "./restoring.rule.ts";

/**
 * Stops the remaining members of the cluster that a restore replaces: two clusters behind one name would both take
 * writes. Their data stays. The new one is not started before all are known to have stopped; that a node does not
 * report proves nothing.
 */
export const fenceMembers: Rule = (now) => {
  const { seen, status } = now;
  const restore = activeRestore(status);
  if (!restore || restore.state === "RollingBack") return undefined;
  const running = seen.setAside.pods.filter(({ mayRun }) => mayRun);
  const last = lastToStop(running, restore);
  const left = last && running.length === 1 ? noteSaved(now, restore, last) : undefined;
  if (left) return left;
  const toTell = running.filter((pod) => !pod.isTerminating && pod !== last);
  const toDelete = toTell.filter((pod) => canGo(pod, now));
  const perishing = restore.saved ? [] : toTell.filter((pod) => isPerishable(pod) && !toDelete.includes(pod));
  const toStop = toTell.filter(
    (pod) => (pod.fencedImage === undefined || pod.hasEtcdAgain) && !toDelete.includes(pod) && !perishing.includes(pod),
  );
  if (toDelete.length + toStop.length > 0) {
    const message = `Stopping ${namesOf([...toDelete, ...toStop])}, whose data is kept until the restored cluster is complete`;
    const pods = { toDelete: toDelete.map(idOf), toStop: toStop.map(idOf) };
    return { kind: "fence-pods", ...pods, reason: "FencingMembers", message };
  }
  // Once the restored cluster serves, it is not held up any more.
  if (running.length === 0 || !undecidedRestore(status)) return undefined;
  if (perishing.length > 0) {
    const what = `${namesOf(perishing)} (created by coreos/etcd-operator, no PVC) would lose its data when stopped, and no safety snapshot exists`;
    const message = `${what}. Delete the pod to accept the loss, or delete the EtcdRestore to cancel`;
    return { kind: "hold", reason: "FencingMembers", message };
  }
  const remedy = "force-delete the pod if its node is permanently lost";
  const message = `Waiting for the kubelet to report that ${namesOf(running)} has stopped; ${remedy}`;
  return { kind: "hold", reason: "FencingMembers", message };
};

/** The member that stops after all others, as long as what it has then decides whether volumes may be deleted. */
function lastToStop(running: readonly SetAsidePod[], restore: RestoreStatus): SetAsidePod | undefined {
  if (!restore.saved || restore.allSaved !== undefined || restore.state === "Joining") return undefined;
  return running.find(({ name, isTerminating }) => name === restore.lastToStop && !isTerminating);
}

/**
 * What was saved was saved while the cluster served, so it is compared with what there is to lose when nothing can be
 * written any more. The leader has applied all that was ever acknowledged, and without the others it can acknowledge
 * nothing.
 */
function noteSaved({ seen }: Situation, restore: RestoreStatus, { name }: SetAsidePod): Action {
  const why = whyUnsaved(seen.lastStanding, restore);
  const saved = `the safety snapshot (revision ${restore.savedRevision})`;
  if (why === undefined) {
    const message = `EtcdRestore ${restore.name}: ${name}, the last member to stop, has no writes beyond ${saved}`;
    return { kind: "note-saved", allSaved: true, reason: "AllSaved", message };
  }
  const message = `EtcdRestore ${restore.name}: the previous members may have acknowledged writes beyond ${saved}: ${why}. Their volumes are kept`;
  return { kind: "note-saved", allSaved: false, reason: "NotAllSaved", message };
}

/** Why the last one standing does not prove that all was saved. */
function whyUnsaved(
  last: LastStanding | undefined,
  { savedRevision = -1, savedClusterID, lastToStop: name, lastTerm }: RestoreStatus,
): string | undefined {
  const { status, health } = last?.answer ?? {};
  if (!last || !status || last.name !== name) return `${name} could not be queried`;
  if (status.clusterId !== savedClusterID) return `${name} is of another etcd cluster, ${status.clusterId}`;
  if (status.revision > savedRevision) return `${name} has revision ${status.revision}`;
  // Another may have led since, and acknowledged what this one has not applied.
  if (status.log?.term !== lastTerm) return `${name} may not have been the last leader`;
  const voters = last.membership.kind === "unknown" ? [] : last.membership.members.filter((each) => !each.isLearner);
  // It still takes writes, by itself or with a member that has no pod here.
  return health === "unhealthy" && voters.length > 1 ? undefined : `${name} can still take writes`;
}

/** Its data is not in it: there is a claim that outlives it, or it has never been on a node. */
function canGo({ name, usesClaim, isScheduled }: SetAsidePod, { seen }: Situation): boolean {
  if (!usesClaim) return !isScheduled;
  return seen.setAside.claims.some((claim) => claim.name === name && !claim.isTerminating);
}

/** A pod of coreos/etcd-operator never restarts: without a claim, its data is lost when its process ends. */
function isPerishable({ gate, usesClaim, mayRun }: SetAsidePod): boolean {
  return gate === "absent" && !usesClaim && mayRun;
}

/** As long as Kubernetes takes to find that there is no place. */
const NO_ROOM_MS = 60_000;

/**
 * Stopped pods may hold the place that a new one needs: one after the other they go, if what they have is in a store.
 */
export const makeRoom: Rule = ({ seen, status }) => {
  const restore = activeRestore(status);
  if (!restore || restore.state === "RollingBack" || !hasAllSaved(restore)) return undefined;
  const madeMs = Date.parse(restore.roomMadeAt ?? "");
  // The scheduler needs its time to find the place, and one may be enough.
  if (madeMs <= seen.nowMs && seen.nowMs - madeMs < NO_ROOM_MS) return undefined;
  const homeless = homelessIn(seen);
  const { pods } = seen.setAside;
  // What was saved is for the cluster that this restore replaced, not of an earlier one.
  const next = stoppedIn(seen).find((pod) => !isKept(pod, status));
  if (!homeless || !next || pods.some(({ isTerminating }) => isTerminating)) return undefined;
  const message = `Deleting the stopped pod ${next.name} to make room for ${homeless.name}, which cannot be scheduled; its data is in the safety snapshot`;
  return {
    kind: "discard-set-aside",
    pods: [idOf(next)],
    claims: [],
    noRoomFor: homeless.name,
    reason: "MakingRoom",
    message,
  };
};

/** What a person can do where nothing shows that their data was saved. */
export function roomHint({ seen }: Situation): string[] {
  const stopped = stoppedIn(seen);
  if (!homelessIn(seen) || stopped.length === 0) return [];
  return [`the stopped pods ${namesOf(stopped)} may occupy its node: delete those whose data is not needed`];
}

function homelessIn(seen: Situation["seen"]): PodSeen | undefined {
  return seen.pods.find(
    ({ uid, unschedulableSinceMs: sinceMs, lacksRoom }) =>
      lacksRoom && sinceMs !== undefined && lastedMs(seen, LASTING.lacksRoom(uid), sinceMs) >= NO_ROOM_MS,
  );
}

/** Those that have their data in themselves. */
function stoppedIn({ setAside }: Situation["seen"]): readonly SetAsidePod[] {
  return setAside.pods.filter(({ usesClaim, mayRun }) => !usesClaim && !mayRun);
}

function namesOf(pods: readonly SetAsidePod[]): string {
  return listOf(pods.map(({ name }) => name));
}
