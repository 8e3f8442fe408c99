import { conditionOf, parseTime, rfc3339 } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { type ClusterState, healthyCount, votersWho } from "../model/cluster-state.ts";
import { LASTING, lastedMs } from "../model/lasting.ts";
import { MEMBER_STATES, type MemberState, memberStateOf, namesAndWhy, type Remedy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import { majorityOf } from "../model/quorum.ts";
import { listOf } from "../model/situation.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { recoveryOf } from "../restore/recovery.rule.ts";
import { whileRestoring } from "../restore/while-restoring.status.ts";
import { whyBlind } from "./blind.status.ts";

type Verdict = ClusterVerdict<"QuorumLost">;

/** An election takes a second or two, and a restart a few: what lasts longer is no hiccup. */
const HICCUP_MS = 5_000;

/** Whether the cluster is without a majority: what is left of it, and what can be done. */
export function quorumLost(state: ClusterState): Verdict {
  const { hasQuorum, hasLived, isMajorityLost } = state;
  if (hasQuorum) return { isTrue: false, reason: "MajorityHealthy", message: healthyCount(state) };
  const restoring = whileRestoring(state);
  if (restoring) return { isTrue: false, reason: "Restoring", message: restoring };
  if (!hasLived) return { isTrue: false, reason: "NoCluster", message: "There is no cluster yet" };
  if (isMajorityLost) return { isTrue: true, reason: "MajorityLost", message: report(state) };
  const blind = whyBlind(state);
  if (blind) return { isTrue: undefined, reason: "MembersUnreachable", message: blind };
  if (untilQuorumLostMs(state) === 0) return { isTrue: true, reason: "MajorityUnreachable", message: report(state) };
  const message = `No majority can be seen, for less than ${HICCUP_MS / 1000} s: ${healthyCount(state)}`;
  return { isTrue: false, reason: "QuorumLossPending", message };
}

/** How long until a missing majority counts as lost; 0 when it does, undefined when there is nothing to wait for. */
export function untilQuorumLostMs(state: ClusterState): number | undefined {
  const { hasQuorum, hasLived, isMajorityLost, now, old } = state;
  if (hasQuorum || !hasLived || (!isMajorityLost && whyBlind(state))) return undefined;
  // A loss lasts until quorum is observed again: that a node is declared lost meanwhile does not shorten an absence.
  const isKnown = conditionOf(old.conditions, "QuorumLost")?.status === "True";
  return isMajorityLost || isKnown
    ? 0
    : Math.max(0, HICCUP_MS - lastedMs(now.seen, LASTING.noMajority, missingSinceMs(state)));
}

/**
 * Since when no majority has been seen. A cluster that is being created was never available, so that alone shows no
 * loss; nor does the health of the members, because one of them may have been declared long before it counted.
 */
function missingSinceMs({ old, now, voters }: ClusterState): number {
  const { nowMs } = now.seen;
  const before = conditionOf(old.conditions, "Available");
  const unavailableSinceMs = before?.status === "False" ? (parseTime(before.lastTransitionTime) ?? nowMs) : nowMs;
  const unhealthySinceMs = voters.flatMap(({ notHealthySinceMs }) => notHealthySinceMs ?? []).sort((a, b) => a - b);
  const spare = voters.length - majorityOf(voters.length);
  return Math.max(unavailableSinceMs, unhealthySinceMs[spare] ?? 0);
}

function report(state: ClusterState): string {
  const running = votersHelpedBy("save-data", state);
  return [
    `${healthyCount(state)}${needed(state)}.`,
    ...NOT_RUNNING.flatMap((each) => told(MEMBER_STATES[each].heading, namesAndWhy(votersWho(each, state)))),
    ...told(MEMBER_STATES.surviving.heading, namesOf(running)),
    "The operator removes no member meanwhile.",
    ...policy(state),
    `What you can do: ${remedies(state, running).join("; ")}.`,
  ].join(" ");
}

/** The worst first. */
const NOT_RUNNING = ["lost", "barred", "absent", "silent"] as const satisfies readonly MemberState[];

function votersHelpedBy(remedy: Remedy, { voters }: ClusterState): readonly MemberSeen[] {
  return voters.filter((member) => MEMBER_STATES[memberStateOf(member)].remedy === remedy);
}

/** What the operator does about it by itself. */
function policy({ now }: ClusterState): string[] {
  const recovery = recoveryOf(now);
  switch (recovery?.kind) {
    case "waiting":
      return [
        `spec.recovery will restore the newest backup of EtcdBackup ${recovery.backupName} after ${rfc3339(recovery.untilMs)}, unless they come back.`,
      ];
    case "due":
      return ["spec.recovery is restoring the newest backup."];
    case "asked":
      return [`spec.recovery has created EtcdRestore ${recovery.restore.metadata.name}: ${standOf(recovery.restore)}.`];
    case "impossible":
      return [`spec.recovery cannot restore a backup: ${recovery.why}.`];
    default:
      return [];
  }
}

function standOf({ status }: EtcdRestore): string {
  if (status?.succeeded === false) return `it failed and will not be retried (${status.reason || "no reason given"})`;
  return status?.phase ? `it is ${status.phase}` : "it has not started yet";
}

function told(what: string, names: string): string[] {
  return names === "" ? [] : [`${what}: ${names}.`];
}

function needed({ voters }: ClusterState): string {
  const majority = majorityOf(voters.length);
  return voters.length === 0 ? "" : `, ${majority} needed for quorum`;
}

function remedies(state: ClusterState, running: readonly MemberSeen[]): string[] {
  const returning = votersHelpedBy("wait", state);
  const barred = votersHelpedBy("give-volume-back", state);
  const wait = `bring back the nodes and pods of ${namesOf(returning)}, whose data still exists: the cluster continues by itself when a majority responds`;
  const giveBack = `return the original volumes of ${namesOf(barred)}`;
  const save = `save the remaining data with 'etcdctl snapshot save' from ${namesOf(running)}`;
  return [
    ...(state.isMajorityLost || returning.length === 0 ? [] : [wait]),
    ...(state.isMajorityLost || barred.length === 0 ? [] : [giveBack]),
    ...(state.isMajorityLost || !isSomebodySetBack(barred) ? [] : [AGREE]),
    ...(running.length === 0 ? [] : [save]),
    "restore a backup with an EtcdRestore for this cluster (docs/operations/quorum-lost.md)",
    "or delete and recreate this EtcdCluster, without its data",
  ];
}

/** This accepts the loss of writes since. */
const AGREE = `or accept the older copies, without later writes, by removing the annotation ${ANNOTATIONS.logReached} from their claims and deleting their pods (docs/operations/volume-refused.md)`;

function isSomebodySetBack(members: readonly MemberSeen[]): boolean {
  return members.some(({ pod }) => pod?.refusal === "log-behind");
}

function namesOf(members: readonly MemberSeen[]): string {
  return listOf(members.map(({ name }) => name));
}
