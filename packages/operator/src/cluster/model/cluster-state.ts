import type { Verdict } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { activeRestore } from "../restore/restoring.rule.ts";
import type { Action, ActionOutcome } from "./action.ts";
import { type MemberState, memberStateOf } from "./member-state.ts";
import type { MemberSeen } from "./members.ts";
import type { Observation } from "./observation.ts";
import { majorityOf } from "./quorum.ts";
import { hasHealthyMajority, type Situation, situationOf } from "./situation.ts";

export type Phase = "Creating" | "Running" | "Failed";

/** The state of a cluster after a reconcile: what the parts of the status are made from. */
export interface ClusterState {
  readonly now: Situation;
  /** What the status said before. */
  readonly old: EtcdClusterStatus;
  readonly action: Action;
  readonly outcome: ActionOutcome;
  /** The voters; while the list is unknown, the existing members. */
  readonly voters: readonly MemberSeen[];
  /** The members that serve clients. */
  readonly ready: readonly MemberSeen[];
  /** A majority vouches for the list, and is seen healthy. */
  readonly hasQuorum: boolean;
  /** There is, or was, a cluster with data; not merely the attempt to bootstrap one. */
  readonly hasLived: boolean;
  /** So many have lost their data that the rest can never be a majority again. */
  readonly isMajorityLost: boolean;
  readonly phase: Phase;
}

/** @param seen the picture as the action left it */
export function clusterStateOf(
  seen: Observation,
  action: Action,
  old: EtcdClusterStatus,
  outcome: ActionOutcome = { kind: "done" },
): ClusterState {
  const now = situationOf(seen);
  const voters = now.listed.length > 0 ? now.voters : presentMembers(now);
  const ready = now.voters.filter(isServing);
  const hasQuorum = hasHealthyMajority(now);
  const hasLived = hasClusterLived(now);
  const isMajorityLost = hasLived && !hasQuorum && isMostLost(voters);
  const facts = { now, old, action, outcome, voters, ready, hasQuorum, hasLived, isMajorityLost };
  return { ...facts, phase: phaseOf(facts) };
}

export function votersWho(are: MemberState, { voters }: ClusterState): readonly MemberSeen[] {
  return voters.filter((member) => memberStateOf(member) === are);
}

/** "2 of 3 voting members are healthy" */
export function healthyCount(state: ClusterState): string {
  const { length: all } = state.voters;
  if (all === 0) return "No member is left";
  const { length: healthy } = votersWho("healthy", state);
  return `${healthy} of ${all} voting members ${healthy === 1 ? "is" : "are"} healthy`;
}

/** What can only be said of a cluster that runs is not so. */
export function notRunning(phase: Exclude<Phase, "Running">): Verdict<Exclude<Phase, "Running">> {
  const message = phase === "Failed" ? "The cluster has failed" : "The cluster is being created";
  return { isTrue: false, reason: phase, message };
}

/** The spec cannot be followed, and nothing has been made from an earlier one. */
export function isBarredBySpec({ now, hasLived }: Pick<ClusterState, "now" | "hasLived">): boolean {
  const { seen, intents, members } = now;
  return seen.problems.length > 0 && !hasLived && intents.length === 0 && members.length === 0;
}

function phaseOf(facts: Omit<ClusterState, "phase">): Phase {
  const { old, ready, hasQuorum, hasLived } = facts;
  const hasRun = hasLived && (old.phase === "Running" || old.phase === "Failed");
  // Clients get to the members of a new cluster only when the first gate opens.
  if (hasQuorum && (hasRun || ready.length > 0)) return "Running";
  if (facts.isMajorityLost || isBarredBySpec(facts)) return "Failed";
  // What failed once and cannot be asked now has not recovered.
  if (hasRun) return old.phase === "Failed" ? "Failed" : "Running";
  return "Creating";
}

/** coreos/etcd-operator recorded no cluster id, but a phase; and a version when the cluster was complete. */
function hasClusterLived({ status, intents }: Situation): boolean {
  if (status.clusterID) return true;
  // The one that is set aside does not count, and the one to come has yet to live.
  if (activeRestore(status)) return false;
  return intents.length === 0 && (status.phase === "Running" || Boolean(status.currentVersion));
}

/** Without any list: every pod and every volume counts. */
function presentMembers({ members }: Situation): readonly MemberSeen[] {
  return members.filter(({ pod, claim }) => pod !== undefined || claim !== undefined);
}

function isMostLost(voters: readonly MemberSeen[]): boolean {
  const lost = voters.filter((member) => memberStateOf(member) === "lost");
  return voters.length - lost.length < majorityOf(voters.length);
}

/** A voter that reads through a majority, and that Kubernetes sends clients to. */
function isServing({ health, pod }: MemberSeen): boolean {
  return health === "healthy" && pod?.isReady === true && !pod.isTerminating;
}
