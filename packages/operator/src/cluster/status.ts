import { cut, defined, humanBytes, rfc3339 } from "@etcd-operator/kubernetes-client";
import { CLIENT_PORT, clientServiceName, labelSelector } from "../api/cluster/cluster-names.ts";
import type { EtcdClusterStatus } from "../api/etcd-cluster.ts";
import { standingFailures } from "./bootstrap/start-failures.status.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import { type ClusterState, clusterStateOf, isBarredBySpec } from "./model/cluster-state.ts";
import type { Observation } from "./model/observation.ts";
import { afterAction } from "./record.ts";
import { provablyLost } from "./restore/provable-loss.rule.ts";
import { recoveryOf } from "./restore/recovery.rule.ts";
import { activeRestore, undecidedRestore } from "./restore/restoring.rule.ts";
import { logMarkOf } from "./rollout/log-mark.rule.ts";
import { versionStep } from "./rollout/version-step.rule.ts";
import { versionsOf } from "./status/cluster-versions.status.ts";
import { conditionsAfter } from "./status/conditions.status.ts";
import { standingIntents } from "./status/member-intents.status.ts";
import { type MemberStatus, MOST_MEMBERS, memberStatusOf } from "./status/member-status.status.ts";
import { quorumLost } from "./status/quorum-lost.status.ts";
import { stageOf } from "./status/stage.status.ts";
import { tlsStatusOf } from "./tls/tls.status.ts";

/** The status of a cluster after a reconcile: from what it saw, what it did, and how that ended. */
export function statusAfter(seen: Observation, action: Action, outcome: ActionOutcome): EtcdClusterStatus {
  const state = clusterStateOf(afterAction(seen, action, outcome), action, seen.cluster.status ?? {}, outcome);
  const { now, phase } = state;
  const memberStatus = memberStatusOf(state);
  const versions = versionsOf(state, memberStatus);
  const stage = stageOf(state);
  return defined<EtcdClusterStatus>({
    observedGeneration: now.seen.cluster.metadata.generation,
    phase,
    state: stage.state,
    reason: reasonOf(state, outcome),
    controlPaused: now.spec.paused === true,
    conditions: conditionsAfter(state, versions, stage),
    size: sizeOf(state),
    ...membersByReadiness(state, memberStatus),
    ...figuresOf(state, memberStatus),
    ...addressOf(now.seen.cluster.metadata.name),
    memberStatus,
    currentVersion: versions.current || undefined,
    targetVersion: versions.target,
    desiredVersion: desiredVersion(state),
    clusterID: now.status.clusterID,
    incarnation: now.status.incarnation,
    reattachedFrom: now.status.reattachedFrom,
    tls: tlsStatusOf(state),
    logMark: logMarkOf(state),
    restore: restoreAfter(state, outcome),
    majorityLostSince: majorityLostSince(state),
    recoveryIncarnation: recoveryIncarnation(state),
    startFailures: standingFailures(now),
    memberIntents: standingIntents(now),
  });
}

/** Why the cluster failed, or what the operator waits for. */
function reasonOf(state: ClusterState, outcome: ActionOutcome): string | undefined {
  const { phase, action, now } = state;
  if (phase === "Failed" && isBarredBySpec(state)) return cut(now.seen.problems.join("; "));
  if (phase === "Failed") return cut(quorumLost(state).message);
  if (outcome.kind === "postponed") return cut(`${action.message}: ${outcome.why}`);
  return action.kind === "hold" ? cut(action.message) : undefined;
}

/** What a restore waits for is reported beside it. */
function restoreAfter({ now, action }: ClusterState, outcome: ActionOutcome): EtcdClusterStatus["restore"] {
  const { restore } = now.status;
  if (!restore || !activeRestore(now.status)) return restore;
  const { reason: _, ...rest } = restore;
  const why = outcome.kind === "postponed" ? `${action.message}: ${outcome.why}` : action.message;
  return action.kind === "hold" || outcome.kind === "postponed" ? { ...rest, reason: cut(why) } : restore;
}

function majorityLostSince({ now }: ClusterState): string | undefined {
  if (provablyLost(now).length === 0) return undefined;
  const { nowMs } = now.seen;
  const notedMs = Date.parse(now.status.majorityLostSince ?? "");
  // A note from the future is from before the clock was set back.
  return notedMs <= nowMs ? now.status.majorityLostSince : rfc3339(nowMs);
}

/** Also from an EtcdRestore that is there, if the pass that made it could not write it down. */
function recoveryIncarnation({ now }: ClusterState): number | undefined {
  const { recoveryIncarnation: noted, incarnation = 0 } = now.status;
  return recoveryOf(now)?.kind === "asked" ? incarnation : noted;
}

/** Members in etcd's list. One member's own copy may be behind, so only a majority's word replaces what we knew. */
function sizeOf({ now, old }: ClusterState): number {
  const isKnown = now.isConfirmed || undecidedRestore(now.status) !== undefined;
  return isKnown ? now.listed.length : (old.size ?? now.listed.length);
}

function membersByReadiness({ ready }: ClusterState, memberStatus: readonly MemberStatus[]) {
  const all = memberStatus.map(({ name }) => name);
  const isReady = (name: string) => ready.some((member) => member.name === name);
  const serving = all.filter(isReady).slice(0, MOST_MEMBERS);
  return {
    readyMembers: serving.length,
    members: { ready: serving, unready: all.filter((name) => !isReady(name)) },
  };
}

/** One that cannot be reached is not kept when the user reverts it, whichever way. */
function desiredVersion({ now, old }: ClusterState): string | undefined {
  const isOutOfReach = now.seen.problems.length > 0 || versionStep(now).kind === "refused";
  return isOutOfReach ? old.desiredVersion || old.currentVersion : now.spec.version;
}

/** What `kubectl get` shows. */
function figuresOf({ now, ready }: ClusterState, memberStatus: readonly MemberStatus[]) {
  const sizes = memberStatus.flatMap(({ databaseSizeBytes }) => databaseSizeBytes ?? []);
  return {
    ready: `${ready.length}/${now.spec.size}`,
    leader: memberStatus.find(({ role }) => role === "Leader")?.name,
    databaseSize: sizes.length === 0 ? undefined : humanBytes(Math.max(...sizes)),
  };
}

/**
 * A name that is too long for a Service never gets one; saying so would make the API server refuse the whole status.
 */
function addressOf(clusterName: string) {
  const [serviceName, selector] = [clientServiceName(clusterName), labelSelector(clusterName)];
  if (serviceName.length > 63) return {};
  return { labelSelector: selector, serviceName, clientPort: CLIENT_PORT };
}
