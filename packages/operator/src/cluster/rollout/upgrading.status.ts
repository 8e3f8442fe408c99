import { formatVersion, isSameRelease } from "@etcd-operator/etcd-client";
import type { ClusterState } from "../model/cluster-state.ts";
import { isBeingRolled } from "../model/replacement.ts";
import { listOf, type Situation } from "../model/situation.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { reportedVersion, versionStep } from "./version-step.rule.ts";

type Verdict = ClusterVerdict<"Upgrading">;

/** Whether members run another version than the user asks for. */
export function upgrading(
  state: ClusterState,
  versions: { readonly current: string; readonly target: string },
): Verdict {
  const { now } = state;
  const { current, target } = versions;
  if (target === "") {
    return {
      isTrue: false,
      reason: "AsSpecified",
      message: current ? `Current version: ${current}` : "No member runs yet",
    };
  }
  const message = `Current version: ${current}, desired version: ${target}${stillAhead(now, current === target)}`;
  const step = versionStep(now);
  if (step.kind === "refused") return { isTrue: false, reason: "VersionRefused", message: `${message}; ${step.why}` };
  return { isTrue: true, reason: reasonOf(now), message: [message, ...obstaclesOf(state)].join("; ") };
}

/** A member that was given the new version and does not start with it stops the roll. */
function reasonOf(now: Situation): Verdict["reason"] {
  if (versionStep(now).kind === "backup-first") return "BackupBeforeUpgrade";
  return haltedBy(now).length > 0 ? "RolloutHalted" : "VersionsDiffer";
}

function obstaclesOf({ now, action, outcome }: ClusterState): string[] {
  const step = versionStep(now);
  const halted = haltedBy(now);
  return [
    ...(now.spec.paused ? ["spec.paused is set"] : []),
    ...(halted.length > 0 ? [`rollout halted: ${listOf(halted)} did not start. Fix or revert spec.version`] : []),
    ...(step.kind === "roll" && step.warning ? [step.warning] : []),
    ...(step.kind === "backup-first" ? [`waiting for EtcdBackup ${step.backup.name} to succeed`] : []),
    ...(halted.length === 0 && action.reason === "RolloutWaiting" ? [action.message] : []),
    ...(action.kind === "force-snapshot" ? [action.message] : []),
    ...(STEPS.has(action.kind) && outcome.kind === "postponed" ? [outcome.why] : []),
  ];
}

/** Only for these does the condition say why they do not happen yet. */
const STEPS: ReadonlySet<string> = new Set([
  "restart-member",
  "declare-join",
  "add-member",
  "move-leader",
  "set-downgrade",
  "force-snapshot",
]);

/** On the way back some are there, and the current version is theirs. */
function stillAhead(now: Situation, isOnTheWayBack: boolean): string {
  if (!isOnTheWayBack) return "";
  const ahead = now.voters.flatMap((member) => {
    const version = reportedVersion(member, now);
    return version && !isSameRelease(formatVersion(version), now.spec.version)
      ? [`${member.name} runs ${formatVersion(version)}`]
      : [];
  });
  return ahead.length > 0 ? `; ${listOf(ahead)}` : "";
}

function haltedBy(now: Situation): string[] {
  const halted = now.voters.filter((member) => isBeingRolled(member, now) && member.pod?.trouble !== undefined);
  return halted.map(({ name, pod }) => `${name} (${pod?.trouble})`);
}
