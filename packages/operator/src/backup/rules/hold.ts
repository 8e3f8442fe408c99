import type { Rule } from "../situation.ts";

/** A spec that contradicts itself cannot be followed. */
export const holdWhileInvalid: Rule = ({ seen }) => {
  if (seen.problems.length === 0) return undefined;
  return { kind: "hold", reason: "InvalidSpec", message: seen.problems.join("; ") };
};
