import { recheckSoonMs } from "../model/recheck-soon.ts";
import { listOf, type Rule } from "../model/situation.ts";

/**
 * Nothing can be done for a member that is not healthy, is about to stop, or has yet to be restarted, except to
 * wait.
 */
export const waitForMembers: Rule = (now) => {
  const unwell = now.listed.filter(
    ({ health, pod }) => health !== "healthy" || pod?.awaitsNewImage || pod?.isTerminating,
  );
  if (unwell.length === 0 && now.intents.length === 0) return undefined;
  const reasons = unwell.map(({ name, pod }) => {
    const going = pod?.isTerminating ? "its pod is being deleted" : undefined;
    const why = pod?.trouble ?? pod?.progress ?? pod?.answer.why ?? (pod ? going : "no pod");
    return why ? `${name} (${why})` : name;
  });
  const message = `Waiting for ${listOf(reasons.length > 0 ? reasons : now.intents.map(({ name }) => name))}`;
  return { kind: "hold", ...recheckSoonMs(now), reason: "WaitingForMembers", message };
};
