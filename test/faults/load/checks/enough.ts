import type { Operation } from "../history/operation.ts";

/** 200 in the shortest of the full plans; five clients have some thirty times as many while nothing is wrong. */
const LEAST_EVERY_MS = 375;

/** A history in which hardly anything was answered breaks no rule, and shows nothing. */
export function tooLittleAnswered(operations: readonly Pick<Operation, "outcome">[], forMs: number): readonly string[] {
  const answered = operations.filter(({ outcome }) => outcome.kind === "ok").length;
  const least = Math.floor(forMs / LEAST_EVERY_MS);
  return answered > least ? [] : [`only ${answered} operations were answered, and there should be more than ${least}`];
}
