import { whyNotYet } from "../bootstrap/start-failures.status.ts";
import type { Action } from "../model/action.ts";
import { wantedSize } from "../model/desired-size.ts";
import { losesVolume } from "../model/member-state.ts";
import { keepsQuorumWithNewVoter } from "../model/quorum.ts";
import { recheckSoonMs } from "../model/recheck-soon.ts";
import { isStarted, listOf, type Rule, type Situation, votersOf } from "../model/situation.ts";
import { outdatedVoters } from "../rollout/outdated.rule.ts";
import { downgradeTargetOf, versionStep } from "../rollout/version-step.rule.ts";
import { clusterFacts, versionOfNewMember } from "../rollout/versions.rule.ts";
import { crowdOf } from "./spread.rule.ts";

/** One member more: declared first, then added; never while another is being added. */
export const scaleUp: Rule = (now) => {
  const { listed, intents } = now;
  const declared = intents.find(({ name }) => !listed.some((member) => member.name === name));
  if (!declared && listed.length >= wantedSize(now)) return undefined;
  const wait = declared ? undefined : whyNotYet(now);
  if (wait) return { kind: "hold", reason: "ScalingUp", message: wait.message, recheckAfterMs: wait.leftMs };
  const inTheWay = obstacle(now);
  if (inTheWay) return { kind: "hold", ...recheckSoonMs(now), reason: "ScalingUp", message: inTheWay };
  return declared ? addMember(declared.name, now) : declareNext(now);
};

function declareNext(now: Situation): Action | undefined {
  const { listed, spec, seen } = now;
  const [name] = seen.freshNames;
  if (name === undefined) return undefined;
  if (listed.length >= spec.size) {
    const crowd = crowdOf(now);
    if (crowd && outdatedVoters(now).length === 0) {
      const message = `Adding ${name} before removing one of ${listOf(crowd.members.map((member) => member.name))}, which share ${crowd.kind} ${crowd.name}`;
      return { kind: "declare-join", name, reason: "Rebalancing", message };
    }
    const outdated = listOf(outdatedVoters(now).map((member) => member.name));
    const losing = listOf(now.voters.filter(losesVolume).map((member) => member.name));
    if (losing !== "") {
      const message = `Adding ${name} before replacing one of ${losing}, whose PVCs are being deleted`;
      return { kind: "declare-join", name, leavesMinor: minorLeft(now), reason: "ReplacingMember", message };
    }
    return {
      kind: "declare-join",
      name,
      leavesMinor: minorLeft(now),
      reason: "RollingOut",
      message: `Adding ${name} before replacing one of: ${outdated}`,
    };
  }
  const message = `Current cluster size: ${listed.length}, desired cluster size: ${spec.size}; adding ${name}`;
  return { kind: "declare-join", name, reason: "ScalingUp", message };
}

function minorLeft(now: Situation): string | undefined {
  const step = versionStep(now);
  return step.kind === "roll" ? step.leavesMinor : undefined;
}

function addMember(name: string, now: Situation): Action {
  const asLearner = clusterFacts(now).hasLearners;
  const message = `Adding ${name}${asLearner ? " as a learner" : ""}`;
  return { kind: "add-member", name, asLearner, version: versionOfNewMember(now), reason: "ScalingUp", message };
}

/**
 * Why no member can be added now. etcd would refuse most of it, but not all: two voters that never started passed its
 * check.
 */
function obstacle(now: Situation): string | undefined {
  const { listed, learners, voters, intents } = now;
  const target = downgradeTargetOf(now);
  if (target !== undefined) return `no member can join while etcd downgrades its data to ${target}`;
  const onTheirWay = listed.filter((member) => !isStarted(member) || member.etcd.isLearner);
  const [next] = onTheirWay;
  const why = next?.pod?.trouble ?? next?.pod?.progress;
  if (next) return `${next.name} is still starting${why ? `: ${why}` : ""}`;
  const unfinished = intents.find(({ name }) => listed.some((member) => member.name === name));
  if (unfinished) return `${unfinished.name} is still starting`;
  const absent = voters.find(({ health }) => health !== "healthy");
  if (absent) return `a member can be added when all voters are healthy; ${absent.name} is not`;
  const leaving = votersOf(voters).find(({ isUp }) => !isUp);
  if (leaving) return `a member can be added when ${leaving.name} has restarted`;
  if (clusterFacts(now).hasLearners || learners.length > 0) return undefined;
  // From one voter to two there is no safe way without learners: the cluster has no quorum until the second has
  // started.
  if (voters.length === 1 || keepsQuorumWithNewVoter(votersOf(voters))) return undefined;
  return "a new voter that never started would cost quorum";
}
