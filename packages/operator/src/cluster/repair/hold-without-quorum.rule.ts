import { recheckSoonMs } from "../model/recheck-soon.ts";
import { canDecide, listOf, type Rule } from "../model/situation.ts";

/** Without a majority no member is removed or added: one that is down may come back with data that the others miss. */
export const holdWithoutQuorum: Rule = (now) => {
  if (canDecide(now)) return undefined;
  const silent = now.voters.filter(({ health }) => health !== "healthy").map(({ name }) => name);
  const counted = `${now.voters.length - silent.length} of ${now.voters.length} voters respond`;
  const seen = now.voters.length === 0 ? "no member has responded yet" : `${counted}, not ${listOf(silent)}`;
  const message = `Quorum not observed: ${seen}. Members are not changed until it is`;
  return { kind: "hold", ...recheckSoonMs(now), reason: "NoQuorum", message };
};
