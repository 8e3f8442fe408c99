import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import { RESTORE_ANNOTATION, restoreRequestOf } from "../../api/restore-request.ts";
import type { Because, MemberToStart } from "../model/action.ts";
import { mayReturn } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import { recheckSoonMs } from "../model/recheck-soon.ts";
import { isOutdatedPod } from "../model/replacement.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { clusterToken, type Start } from "../objects/pod/start.ts";
import { roomHint } from "../restore/fence-members.rule.ts";
import { nextIncarnation, undecidedRestore } from "../restore/restoring.rule.ts";
import { whyNotYet } from "./start-failures.status.ts";

/**
 * A cluster that answers through its majority exists: from now on its id decides which members belong to it. So a
 * bootstrap ends, and so a cluster that coreos/etcd-operator left running is adopted.
 */
export const adoptAnswers: Rule = ({ seen, status, isConfirmed, intents }) => {
  if (status.clusterID) return undefined;
  const ids = [...new Set(seen.pods.flatMap(({ answer }) => answer.status?.clusterId ?? []))];
  if (ids.length > 1) {
    const message = `The pods of this cluster belong to different etcd clusters (${listOf(ids)}): delete the pods of the wrong cluster`;
    return { kind: "hold", reason: "ClusterIdsDiffer", message };
  }
  const [clusterId] = ids;
  const restore = undecidedRestore(status);
  if (clusterId !== undefined && clusterId === restore?.previousClusterID) {
    const message = `The previous etcd cluster ${clusterId} responds instead of the restored one: delete the pod of the previous cluster`;
    return { kind: "hold", reason: "ClusterIdsDiffer", message };
  }
  const isNoAttempt = intents.length === 0 && seen.pods.some((pod) => pod.answer.status && !isAbandoned(pod));
  if (clusterId === undefined || !(isConfirmed || isNoAttempt)) return undefined;
  const incarnation = Math.max(status.incarnation ?? 0, restore?.incarnation ?? 1);
  const message = `Recording the ID of etcd cluster ${clusterId}`;
  return { kind: "record-cluster", clusterId, incarnation, reason: "ClusterRecorded", message };
};

/** The status is lost, but volumes record their cluster: the cluster is theirs, and must not be bootstrapped again. */
export const adoptVolumes: Rule = ({ seen, status, intents }) => {
  if (status.clusterID || intents.length > 0 || seen.pods.length > 0) return undefined;
  const claims = seen.claims.filter(({ memberId }) => memberId !== undefined);
  const ids = [...new Set(claims.flatMap((claim) => claim.clusterId ?? []))];
  const [clusterId] = ids;
  if (clusterId === undefined) return undefined;
  if (ids.length > 1) {
    const message = `Volumes of different etcd clusters (${listOf(ids)}) have this cluster's labels: delete the PVCs of the wrong cluster`;
    return { kind: "hold", reason: "ClusterIdsDiffer", message };
  }
  const incarnation = Math.max(1, ...claims.map((claim) => claim.incarnation ?? 1));
  const message = `Restarting the members of etcd cluster ${clusterId} on their volumes`;
  return { kind: "record-cluster", clusterId, incarnation, reason: "ClusterRecorded", message };
};

/**
 * An initial member that lost its data, or found foreign data, spoils its attempt: the next one has new names and a new
 * token. No client has reached any of them, because no gate opens before the cluster is on record.
 */
export const giveUpSeeds: Rule = (now) => {
  const { status, intents } = now;
  if (status.clusterID) return undefined;
  const spoiled = seedsOf(now).filter((seed) => isSpoiled(seed, now));
  if (spoiled.length === 0) return undefined;
  const why = `${listOf(spoiled.map((seed) => `${seed.name} (${whySpoiled(seed, now)})`))} cannot continue`;
  const message = `Bootstrapping the cluster again: ${why}`;
  return {
    kind: "forget-intents",
    names: intents.map(({ name }) => name),
    failed: why,
    reason: "StartingOver",
    message,
  };
};

function whySpoiled({ pod }: MemberSeen, now: Situation): string {
  if (!pod) return undecidedRestore(now.status) ? "its pod was deleted during the restore" : "its pod was deleted";
  if (pod.refusal !== undefined) return `its volume belongs to another member: ${pod.refusal}`;
  const trouble = pod.trouble === undefined ? "" : `: ${pod.trouble}`;
  if (pod.restoring?.hasFailed) return `the snapshot could not be restored in it${trouble}`;
  return pod.stage === "ended" || pod.isTerminating
    ? `its pod has ended${trouble}`
    : `its pod has an outdated spec${trouble}`;
}

/** Deletes the objects of an aborted attempt: first the pods, then the claims. */
export const clearGivenUpSeeds: Rule = ({ seen, status, intents }) => {
  if (status.clusterID || intents.length > 0) return undefined;
  if ([...seen.pods, ...seen.claims].some(({ memberId }) => memberId !== undefined)) return undefined;
  const pods = seen.pods.filter((pod) => isAbandoned(pod) && !pod.isTerminating);
  const claims = seen.claims.filter((claim) => isAbandoned(claim) && !claim.isTerminating);
  const message = `Cleaning up after an aborted bootstrap attempt: ${listOf([...pods, ...claims].map(({ name }) => name))}`;
  if (pods.length > 0) return { kind: "delete-pods", pods: pods.map(idOf), reason: "StartingOver", message };
  if (claims.length === 0 || seen.pods.length > 0) return undefined;
  return { kind: "delete-claims", claims: claims.map(idOf), reason: "StartingOver", message };
};

/** Records the initial members before any object is created for them. Only a single one can be restored. */
export const declareSeeds: Rule = (now) => {
  const { seen, spec, status, intents } = now;
  if (status.clusterID || intents.length > 0) return undefined;
  const restore = undecidedRestore(status);
  const obstacle = obstacleToBootstrap(seen) ?? (restore ? undefined : obstacleToBeginEmpty(seen, status));
  if (obstacle) return { kind: "hold", ...obstacle };
  const wait = whyNotYet(now);
  if (wait) return { kind: "hold", reason: "StartingOver", message: wait.message, recheckAfterMs: wait.leftMs };
  const isParallel = spec.bootstrap.mode === "Parallel" && !restore;
  const names = seen.freshNames.slice(0, isParallel ? spec.size : 1);
  // Without the name: it differs in each attempt, and a message that differs is written again.
  const message = restore
    ? "creating the first member from the snapshot"
    : `Bootstrapping a new cluster with ${listOf(names)}`;
  const reason = restore ? "Restoring" : "Bootstrapping";
  return { kind: "declare-seeds", names, incarnation: nextIncarnation(status), reason, message };
};

export const startSeeds: Rule = (now) => {
  if (now.status.clusterID) return undefined;
  const seeds = seedsOf(now);
  const missing = seeds.filter(({ pod }) => pod === undefined || pod.restoring?.lacksSecret);
  if (missing.length === 0) return undefined;
  const message = `Starting ${listOf(missing.map(({ name }) => name))}`;
  return {
    kind: "start-members",
    members: missing.map((seed) => seedToStart(seed, seeds, now)),
    reason: undecidedRestore(now.status) ? "Restoring" : "Bootstrapping",
    message,
  };
};

export const waitForSeeds: Rule = (now) => {
  if (now.status.clusterID) return undefined;
  const silent = now.members.filter(({ health }) => health !== "healthy").map(({ name }) => name);
  const troubles = now.seen.pods.flatMap(({ name, trouble, progress, answer, stage }) => {
    const why = trouble ?? progress ?? (stage === "running" ? answer.why : undefined);
    return why ? [`${name}: ${why}`] : [];
  });
  const restore = undecidedRestore(now.status);
  const what = restore ? "to restore the snapshot and respond" : "to respond";
  const message = [`Waiting for ${listOf(silent)} ${what}`, ...troubles, ...roomHint(now)].join("; ");
  return { kind: "hold", ...recheckSoonMs(now), reason: restore ? "Restoring" : "Bootstrapping", message };
};

function seedsOf({ members }: Situation): readonly MemberSeen[] {
  return members.filter(({ intent }) => intent?.purpose === "Seed");
}

function seedToStart(seed: MemberSeen, seeds: readonly MemberSeen[], { seen, spec, status }: Situation): MemberToStart {
  const { cluster } = seen;
  const incarnation = status.incarnation ?? 1;
  const peers = seeds
    .filter(({ name }) => name !== seed.name)
    .map(({ name }) => ({ name, peerUrl: memberAddresses(cluster, name).peerUrl }));
  const token = clusterToken(cluster, incarnation);
  return {
    name: seed.name,
    version: spec.version,
    incarnation,
    start: restored(token, seen, status) ?? { kind: "seed", token, peers },
  };
}

function restored(token: string, { cluster }: Situation["seen"], status: Situation["status"]): Start | undefined {
  if (!undecidedRestore(status)) return undefined;
  const { uid = "", revisionBump = 0 } = restoreRequestOf(cluster.metadata) ?? {};
  return { kind: "restored", token, revisionBump, restoreUid: uid };
}

/** As often as the snapshot is brought to yet another one, when it could not be restored in the previous one. */
const MOST_ATTEMPTS = 3;

function isSpoiled(seed: MemberSeen, now: Situation): boolean {
  const { pod, claim } = seed;
  const restore = undecidedRestore(now.status);
  // Its volume may have a partial restore of a previous pod, with which the tool would not continue.
  if (!pod) return restore !== undefined && claim !== undefined;
  const isWorthAnother = (now.status.incarnation ?? 0) - (restore?.incarnation ?? 0) < MOST_ATTEMPTS - 1;
  return !mayReturn(seed) || isOutdated(seed, now) || (pod.restoring?.hasFailed === true && isWorthAnother);
}

/**
 * The pod of an initial member that cannot run, and was created from a spec that has been changed since. One that
 * runs may have data.
 */
function isOutdated({ pod }: MemberSeen, now: Situation): boolean {
  if (!pod || pod.answer.status) return false;
  return (pod.stage === "pending" || pod.trouble !== undefined) && isOutdatedPod(pod, now.spec.version, now);
}

/** Created by us for an initial member, and never identified: its data was never served to a client. */
function isAbandoned(made: {
  readonly incarnation: number | undefined;
  readonly memberId: string | undefined;
}): boolean {
  return made.incarnation !== undefined && made.memberId === undefined;
}

function obstacleToBootstrap({ pods, claims, strangers }: Situation["seen"]): Because | undefined {
  if (strangers.leftoverPods.length > 0) {
    const message = `Waiting for the pods of a deleted cluster of the same name to stop: ${listOf(strangers.leftoverPods)}`;
    return { reason: "PreviousPodsRemain", message };
  }
  if (pods.some(({ isTerminating }) => isTerminating)) {
    return { reason: "StartingOver", message: "Waiting for the pods of an earlier attempt to stop" };
  }
  if (pods.length > 0) {
    const message = `Pods of this cluster exist, but none responds (${listOf(pods.map(({ name }) => name))}). Not bootstrapping a new cluster, which would orphan their data`;
    return { reason: "WaitingForAdoption", message };
  }
  if (claims.length > 0) {
    const names = listOf(claims.map(({ name }) => name));
    const message = `Volumes of this cluster exist, but their members are unknown (${names}): delete the PVCs to start without their data`;
    return { reason: "VolumesWithoutIdentity", message };
  }
  return undefined;
}

/** Why a cluster without data must not come in the place of one that should have some. */
function obstacleToBeginEmpty(
  { cluster }: Situation["seen"],
  { phase, currentVersion, restore, incarnation }: Situation["status"],
): Because | undefined {
  // A cluster of coreos/etcd-operator, which recorded no id. A new one under its name would pass for it, without its
  // data.
  if (phase === "Running" || currentVersion) {
    const remedy = "delete and recreate the EtcdCluster to start without its data";
    return {
      reason: "MembersGone",
      message: `All pods and volumes of this cluster are lost: ${remedy}`,
    };
  }
  const remedy =
    "create another EtcdRestore for this cluster, or delete and recreate the EtcdCluster to start without data";
  if (restore?.state === "RolledBack" && !restore.previousClusterID && incarnation === undefined) {
    const message = `EtcdRestore ${restore.name} was cancelled, and there is no previous cluster: ${remedy}`;
    return { reason: "NothingRestored", message };
  }
  if (cluster.metadata.annotations?.[RESTORE_ANNOTATION] && !restoreRequestOf(cluster.metadata)) {
    return {
      reason: "RestoreRequestUnreadable",
      message: `The annotation '${RESTORE_ANNOTATION}' is invalid: ${remedy}`,
    };
  }
  return undefined;
}
