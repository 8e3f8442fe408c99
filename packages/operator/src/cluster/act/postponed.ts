import { hasCode } from "@etcd-operator/kubernetes-client";
import type { ActionOutcome } from "../model/action.ts";

export type Postponed = Extract<ActionOutcome, { kind: "postponed" }>;

export const DONE: ActionOutcome = { kind: "done" };

// The caches lag behind by little; by then they show what a live read showed.
const SOON_MS = 100;

export function postponed(why: string, retryMs = SOON_MS): Postponed {
  return { kind: "postponed", why, retryMs };
}

const BARRED_MS = 30_000;

/** For an obstacle to leaving the minor that a person has to remove. */
export function barred(why: string): Postponed {
  return { ...postponed(why, BARRED_MS), barsMinor: true };
}

// The first pause of those that grow (stalls.ts).
const UNDONE_MS = 2_000;

/** For what was written, and is not what is stored: admission or another client has changed it back. */
export function undone(why: string): Postponed {
  return { ...postponed(why, UNDONE_MS), isUndone: true };
}

/** Makes a write under preconditions. A conflict is no failure: the next reconcile reads again. */
export async function unlessChanged(what: string, write: () => Promise<unknown>): Promise<ActionOutcome> {
  try {
    await write();
    return DONE;
  } catch (error) {
    if (hasCode(error, "not-found")) return { ...postponed(`${what} does not exist any more`), isGone: true };
    if (hasCode(error, "conflict") || isAnotherUid(error)) return postponed(`${what} has changed since it was read`);
    throw error;
  }
}

/** Waits for all of them, so that none is left running, and gives what the first that could not be done came to. */
export async function allOf(outcomes: readonly Promise<ActionOutcome>[]): Promise<ActionOutcome> {
  return (await settled(outcomes)).find(({ kind }) => kind === "postponed") ?? DONE;
}

/** Like Promise.all, but every promise has ended when it throws. */
export async function settled<const T extends readonly Promise<unknown>[]>(
  promises: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

// A patch that names another UID tries to change it, and that is what the API server complains about.
function isAnotherUid(error: unknown): boolean {
  return hasCode(error, "invalid") && error.causes.some(({ field }) => field === "metadata.uid");
}
