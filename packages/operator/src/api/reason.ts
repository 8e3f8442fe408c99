import type { HeldReason } from "@etcd-operator/controller-runtime";

/** A page under docs/operations, with a section if one fits, or why there is nothing to do. */
export type Runbook = `${string}.md` | `${string}.md#${string}` | `none: ${string}`;

/** What is documented of a reason: the word that programs read in a condition, an Event or a log line. */
export interface Reason {
  /** One sentence in plain words. */
  readonly meaning: string;
  readonly runbook: Runbook;
}

/** What is documented of a type of condition. */
export interface ConditionMeaning<R extends string> {
  readonly whenTrue: string;
  readonly whenFalse: string;
  /** Left out for one that is always True or False. */
  readonly whenUnknown?: string;
  readonly reasons: readonly R[];
}

export type EventType = "Normal" | "Warning";

/** All that a kind shows to programs. A reason in neither conditions nor Events is found in log lines only. */
export interface ReasonsOfKind<R extends string = string> {
  readonly reasons: Readonly<Record<R, Reason>>;
  readonly conditions: Readonly<Record<string, ConditionMeaning<R>>>;
  readonly events: Partial<Readonly<Record<R, EventType>>>;
}

/** Reasons with the same runbook. */
export function explained<const R extends string>(
  runbook: Runbook,
  meanings: Readonly<Record<R, string>>,
): Readonly<Record<R, Reason>> {
  const entries = Object.entries<string>(meanings).map(([reason, meaning]) => [reason, { meaning, runbook }]);
  return Object.fromEntries(entries) as Record<R, Reason>;
}

/** Makes Events: whether one is a warning follows from its reason. */
export function eventsBy<const E extends string>(types: Readonly<Record<E, EventType>>) {
  return <R extends E>(reason: R, message: string) => ({ type: types[reason], reason, message });
}

/** Reasons of every kind whose status this release must not write. */
export const HELD_REASONS = {
  StatusUnreadable: {
    meaning: "This release cannot read the status, so it changes nothing.",
    runbook: "status-unreadable.md#statusunreadable",
  },
  CRDOutdated: {
    meaning: "The CRD in the cluster does not store all of the status, so the operator changes nothing.",
    runbook: "status-unreadable.md#crdoutdated",
  },
} as const satisfies Readonly<Record<HeldReason, Reason>>;
