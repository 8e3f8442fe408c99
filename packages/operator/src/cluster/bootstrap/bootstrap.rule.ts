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
 * A cluster that answers through its majority is there: from now on its id decides who belongs to it. So a bootstrap ends, and so a
 * cluster that the old operator left running is taken over.
 */
export const adoptAnswers: Rule = ({ seen, status, isConfirmed, intents }) => {
  if (status.clusterID) return undefined;
  const ids = [...new Set(seen.pods.flatMap(({ answer }) => answer.status?.clusterId ?? []))];
  if (ids.length > 1) {
    const message = `The pods of this cluster belong to different etcd clusters (${listOf(ids)}): delete those that should not be there`;
    return { kind: "hold", reason: "ClusterIdsDiffer", message };
  }
  const [clusterId] = ids;
  const restore = undecidedRestore(status);
  if (clusterId !== undefined && clusterId === restore?.previousClusterID) {
    const message = `Instead of the restored cluster, ${clusterId} answers, which was there before: delete the pod that should not be there`;
    return { kind: "hold", reason: "ClusterIdsDiffer", message };
  }
  const isNoAttempt = intents.length === 0 && seen.pods.some((pod) => pod.answer.status && !isAbandoned(pod));
  if (clusterId === undefined || !(isConfirmed || isNoAttempt)) return undefined;
  const incarnation = Math.max(status.incarnation ?? 0, restore?.incarnation ?? 1);
  const message = `etcd cluster ${clusterId} answers; its id is recorded`;
  return { kind: "record-cluster", clusterId, incarnation, reason: "ClusterRecorded", message };
};

/** The status is gone, but volumes say which cluster they are of: the cluster is theirs, and must not be founded anew. */
export const adoptVolumes: Rule = ({ seen, status, intents }) => {
  if (status.clusterID || intents.length > 0 || seen.pods.length > 0) return undefined;
  const claims = seen.claims.filter(({ memberId }) => memberId !== undefined);
  const ids = [...new Set(claims.flatMap((claim) => claim.clusterId ?? []))];
  const [clusterId] = ids;
  if (clusterId === undefined) return undefined;
  if (ids.length > 1) {
    const message = `Volumes of different etcd clusters (${listOf(ids)}) bear this cluster's labels: delete the claims that should not be there`;
    return { kind: "hold", reason: "ClusterIdsDiffer", message };
  }
  const incarnation = Math.max(1, ...claims.map((claim) => claim.incarnation ?? 1));
  const message = `Volumes of etcd cluster ${clusterId} are there: its members come back to them`;
  return { kind: "record-cluster", clusterId, incarnation, reason: "ClusterRecorded", message };
};

/**
 * A founder that lost its data, or found somebody else's, spoils its whole attempt: the next one has new names and a new token. No
 * client has reached any of them, because no gate opens before the cluster is on record.
 */
export const giveUpSeeds: Rule = (now) => {
  const { status, intents } = now;
  if (status.clusterID) return undefined;
  const spoiled = seedsOf(now).filter((seed) => isSpoiled(seed, now));
  if (spoiled.length === 0) return undefined;
  const why = `${listOf(spoiled.map((seed) => `${seed.name} (${whySpoiled(seed, now)})`))} cannot go on`;
  const message = `Founding the cluster starts over: ${why}`;
  return {
    kind: "forget-intents",
    names: intents.map(({ name }) => name),
    failed: why,
    reason: "StartingOver",
    message,
  };
};

function whySpoiled({ pod }: MemberSeen, now: Situation): string {
  if (!pod) return undecidedRestore(now.status) ? "its pod is gone in the middle of the restore" : "its pod is gone";
  if (pod.refusal !== undefined) return `its volume is not its own: ${pod.refusal}`;
  const trouble = pod.trouble === undefined ? "" : `: ${pod.trouble}`;
  if (pod.restoring?.hasFailed) return `the snapshot could not be restored in it${trouble}`;
  return pod.stage === "ended" || pod.isTerminating
    ? `its pod has ended${trouble}`
    : `its pod is of another spec${trouble}`;
}

/** What was made for an attempt that was given up goes: first the pods, then the claims. */
export const clearGivenUpSeeds: Rule = ({ seen, status, intents }) => {
  if (status.clusterID || intents.length > 0) return undefined;
  if ([...seen.pods, ...seen.claims].some(({ memberId }) => memberId !== undefined)) return undefined;
  const pods = seen.pods.filter((pod) => isAbandoned(pod) && !pod.isTerminating);
  const claims = seen.claims.filter((claim) => isAbandoned(claim) && !claim.isTerminating);
  const message = `Left over from an attempt that was given up: ${listOf([...pods, ...claims].map(({ name }) => name))}`;
  if (pods.length > 0) return { kind: "delete-pods", pods: pods.map(idOf), reason: "StartingOver", message };
  if (claims.length === 0 || seen.pods.length > 0) return undefined;
  return { kind: "delete-claims", claims: claims.map(idOf), reason: "StartingOver", message };
};

/** Writes down who will found the cluster, before anything is made for them. One alone can be restored. */
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
  // Without the name: it is another one in each try, and what is said anew is written anew.
  const message = restore
    ? "The first member is made from the snapshot"
    : `A new cluster is founded by ${listOf(names)}`;
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
  const what = restore ? "to be made from the snapshot, and to answer" : "to answer";
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

/** As often as the snapshot is brought to yet another one, when it could not be restored in the one before. */
const MOST_ATTEMPTS = 3;

function isSpoiled(seed: MemberSeen, now: Situation): boolean {
  const { pod, claim } = seed;
  const restore = undecidedRestore(now.status);
  // On its volume may lie what a pod before it began to restore, and the tool would not go on with that.
  if (!pod) return restore !== undefined && claim !== undefined;
  const isWorthAnother = (now.status.incarnation ?? 0) - (restore?.incarnation ?? 0) < MOST_ATTEMPTS - 1;
  return !mayReturn(seed) || isOutdated(seed, now) || (pod.restoring?.hasFailed === true && isWorthAnother);
}

/** A founder's pod that cannot run, and was made from a spec that has been changed since. One that runs may have data. */
function isOutdated({ pod }: MemberSeen, now: Situation): boolean {
  if (!pod || pod.answer.status) return false;
  return (pod.stage === "pending" || pod.trouble !== undefined) && isOutdatedPod(pod, now.spec.version, now);
}

/** Made by us for a founder, and never identified: no client has reached what is in it. */
function isAbandoned(made: {
  readonly incarnation: number | undefined;
  readonly memberId: string | undefined;
}): boolean {
  return made.incarnation !== undefined && made.memberId === undefined;
}

function obstacleToBootstrap({ pods, claims, strangers }: Situation["seen"]): Because | undefined {
  if (strangers.leftoverPods.length > 0) {
    const message = `Waiting until the pods of a deleted cluster of the same name are gone: ${listOf(strangers.leftoverPods)}`;
    return { reason: "PreviousPodsRemain", message };
  }
  if (pods.some(({ isTerminating }) => isTerminating)) {
    return { reason: "StartingOver", message: "Waiting until the pods of an earlier attempt are gone" };
  }
  if (pods.length > 0) {
    const message = `Pods of this cluster are there, but none answers (${listOf(pods.map(({ name }) => name))}): a new cluster would orphan their data`;
    return { reason: "WaitingForAdoption", message };
  }
  if (claims.length > 0) {
    const names = listOf(claims.map(({ name }) => name));
    const message = `Volumes of this cluster are there, but nothing tells which members they hold (${names}): delete the claims to begin anew`;
    return { reason: "VolumesWithoutIdentity", message };
  }
  return undefined;
}

/** Why a cluster without data must not come in the place of one that should have some. */
function obstacleToBeginEmpty(
  { cluster }: Situation["seen"],
  { phase, currentVersion, restore, incarnation }: Situation["status"],
): Because | undefined {
  // A cluster of the old operator, which recorded no id. A new one under its name would pass for it, without its data.
  if (phase === "Running" || currentVersion) {
    const remedy = "delete the EtcdCluster and create it anew to begin without its data";
    return {
      reason: "MembersGone",
      message: `This cluster ran, but neither pods nor volumes of it are left: ${remedy}`,
    };
  }
  const remedy = "make another EtcdRestore for this cluster, or delete it and create it anew to begin without data";
  if (restore?.state === "RolledBack" && !restore.previousClusterID && incarnation === undefined) {
    const message = `EtcdRestore ${restore.name} was called off, and there was no cluster before: ${remedy}`;
    return { reason: "NothingRestored", message };
  }
  if (cluster.metadata.annotations?.[RESTORE_ANNOTATION] && !restoreRequestOf(cluster.metadata)) {
    return {
      reason: "RestoreRequestUnreadable",
      message: `The annotation '${RESTORE_ANNOTATION}' cannot be read: ${remedy}`,
    };
  }
  return undefined;
}
