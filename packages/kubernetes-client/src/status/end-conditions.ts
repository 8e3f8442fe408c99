import type { Condition } from "./condition.ts";
import { conditionAfter, conditionOf, type Verdict } from "./condition-after.ts";

/** When the status is written, and of which generation of the spec it speaks. */
type Moment = Parameters<typeof conditionAfter>[3];

/** The types of the conditions that say whether something has come to an end, and to which. */
const COMPLETE = ["Complete", "Ready"] as const;
const FAILED = ["Failed", "Stalled"] as const;

/**
 * Conditions that end a wait, made from a verdict that is undefined while the end is open: `Complete` and `Failed` for
 * people, `Ready` and `Stalled` for tools that know kstatus. Those that are there already are replaced.
 */
export function withEndConditions(
  conditions: readonly Condition[],
  { isTrue, reason, message }: Verdict,
  moment: Moment,
): Condition[] {
  const after = (isIt: boolean) => (type: string) =>
    conditionAfter(type, { isTrue: isIt, reason, message }, conditionOf(conditions, type), moment);
  const ends = [...COMPLETE.map(after(isTrue === true)), ...FAILED.map(after(isTrue === false))];
  return [...conditions.filter(({ type }) => !conditionOf(ends, type)), ...ends];
}
