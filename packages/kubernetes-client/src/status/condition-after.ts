import type { Condition } from "./condition.ts";
import { rfc3339 } from "./kube-time.ts";
import { plainMessage } from "./plain-message.ts";

/** What a condition comes to. */
export interface Verdict<R extends string = string> {
  /** Undefined when it cannot be said. */
  readonly isTrue: boolean | undefined;
  /** One word in CamelCase. */
  readonly reason: R;
  readonly message: string;
}

interface Moment {
  readonly nowMs: number;
  readonly generation: number | undefined;
}

/** A condition with its times: they move only when what they speak of does. */
export function conditionAfter(type: string, verdict: Verdict, old: Condition | undefined, moment: Moment): Condition {
  const status = verdict.isTrue === undefined ? "Unknown" : verdict.isTrue ? "True" : "False";
  const { reason } = verdict;
  const message = cut(verdict.message);
  const now = rfc3339(moment.nowMs);
  const isSameStatus = old?.status === status;
  const isSame = isSameStatus && old.reason === reason && old.message === message;
  return {
    type,
    status,
    ...(moment.generation !== undefined && { observedGeneration: moment.generation }),
    lastUpdateTime: (isSame && old.lastUpdateTime) || now,
    lastTransitionTime: (isSameStatus && old.lastTransitionTime) || now,
    reason,
    message,
  };
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** A message that fits into a status however much there is to say; the most serious comes first, so the end may go. */
export function cut(message: string): string {
  return plainMessage(message);
}
