import { recheckSoonMs } from "../model/recheck-soon.ts";
import { canDecide, listOf, type Rule } from "../model/situation.ts";

/** Without a majority nothing is removed and nobody is added: whoever is down may come back with the data that the others miss. */
export const holdWithoutQuorum: Rule = (now) => {
  if (canDecide(now)) return undefined;
  const silent = now.voters.filter(({ health }) => health !== "healthy").map(({ name }) => name);
  const counted = `${now.voters.length - silent.length} of ${now.voters.length} voters answer`;
  const seen = now.voters.length === 0 ? "no member has answered yet" : `${counted}, not ${listOf(silent)}`;
  const message = `No majority can be seen: ${seen}. Nothing is changed until there is one`;
  return { kind: "hold", ...recheckSoonMs(now), reason: "NoQuorum", message };
};
