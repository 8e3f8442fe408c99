import type { Rule } from "../situation.ts";

/** Nobody can follow a spec that contradicts itself. */
export const holdWhileInvalid: Rule = ({ seen }) => {
  if (seen.problems.length === 0) return undefined;
  return { kind: "hold", reason: "InvalidSpec", message: seen.problems.join("; ") };
};
