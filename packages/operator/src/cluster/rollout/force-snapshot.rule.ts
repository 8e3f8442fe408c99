import type { Rule } from "../model/situation.ts";
import { turnedOverAt } from "./log-mark.rule.ts";
import { isShortOfMembers } from "./roll-out.rule.ts";
import { versionStep } from "./version-step.rule.ts";

/**
 * Before a member leaves a minor whose log would stop the next one: etcd replays what it has not saved, and saves after
 * so many entries have been written. Writes of clients have the same effect, so often there is nothing to do. Once one
 * has got there the others follow by themselves, and are waited for where they are restarted.
 */
export const forceSnapshot: Rule = (now) => {
  const { voters, seen, spec } = now;
  const step = versionStep(now);
  if (step.kind !== "roll" || step.leavesMinor === undefined || seen.alarms.length > 0) return undefined;
  // One that is to replace another joins with the next minor, and is not added before this is done.
  const isSomeoneFirst = isShortOfMembers(now) && voters.length < spec.size;
  if (isSomeoneFirst || voters.some(({ health }) => health !== "healthy")) return undefined;
  const upTo = turnedOverAt(step.leavesMinor, now);
  const indexes = voters.flatMap(({ pod }) => pod?.answer.status?.appliedIndex ?? []);
  if (upTo === undefined || indexes.length === 0 || indexes.some((index) => index >= upTo)) return undefined;
  const message = `Forcing a raft snapshot at index ${upTo} before upgrading to ${step.to} (no data is changed)`;
  return { kind: "force-snapshot", from: Math.max(...indexes), upTo, reason: "ForcingSnapshot", message };
};
