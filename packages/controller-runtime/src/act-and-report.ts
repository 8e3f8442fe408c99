import type { Clock } from "@etcd-operator/kubernetes-client";
import { refusalInWords } from "@etcd-operator/kubernetes-client";
import { isWorthTelling } from "./failure.ts";
import type { Pass } from "./pass.ts";
import type { Acted, KindOfObject, Special, Steps } from "./reconcile-steps.ts";
import type { UndoneStatus } from "./undone-status.ts";

const DONE = { kind: "done" } as const;
/**
 * An action that takes longer is reported while it lasts: a webhook may keep the API server from answering for half a
 * minute.
 */
const SLOW_MS = 5_000;

/** One reconcile of one object, and what is remembered from those before. */
export interface Doing<K extends KindOfObject> {
  readonly key: string;
  readonly pass: Pass;
  readonly signal: AbortSignal;
  readonly steps: Steps<K>;
  readonly special: Special<K>;
  readonly failing: FailingSince;
  readonly undone: UndoneStatus;
}

/**
 * Carries an action out. While it hangs, and when it fails, the status is brought up to what was seen all the same: it
 * must not go on reporting what was true before. The failure is still that of the reconcile.
 */
export async function actAndReport<K extends KindOfObject>(
  doing: Doing<K>,
  seen: K["seen"],
  action: K["action"],
): Promise<Acted<K>> {
  const { key, pass, signal, steps, special, failing } = doing;
  const tell = async (reason: K["action"]["reason"], why: string) => {
    const told = special.obstructed({ reason, message: `${action.message}; but ${why}` });
    // When this fails too, the first failure is still the one to report.
    return report(doing, seen, told, DONE).catch(() => ({ picture: seen }));
  };
  let told: ReturnType<typeof tell> | undefined;
  const tellOfWaiting = () => {
    told = tell(action.reason, `there was no answer for ${SLOW_MS / 1000} s`);
  };
  // With its status the object would be another version than the one that is being changed.
  const cancel = special.changesObject?.(action) ? () => undefined : steps.clock.after(SLOW_MS, tellOfWaiting);
  try {
    const outcome = await steps.act(seen, action, pass, signal);
    failing.end(key);
    cancel();
    return { outcome, picture: told ? (await told).picture : seen };
  } catch (error) {
    cancel();
    await told;
    if (isWorthTelling(error) && !signal.aborted) {
      const lastedMs = failing.lastedMs(key);
      const isToShow = special.needsALook?.(error, lastedMs) ?? true;
      await tell(isToShow ? "ActionFailed" : action.reason, refusalInWords(error));
    }
    throw error;
  }
}

/**
 * The status is written before Events are recorded: an intent that is not on record must have no consequence.
 * `heldBackMs` is how long until a status is written again that other clients undo.
 */
export async function report<K extends KindOfObject>(
  { key, pass, signal, steps, undone }: Doing<K>,
  seen: K["seen"],
  action: K["action"],
  outcome: K["outcome"] | typeof DONE,
): Promise<{ readonly picture: K["seen"]; readonly heldBackMs: number }> {
  const status = steps.statusAfter(seen, action, outcome);
  const isNews = steps.isWorthWriting(seen, status);
  const heldBackMs = isNews ? undone.leftMs(key, status) : 0;
  let picture = seen;
  if (isNews && heldBackMs === 0) {
    picture = await steps.writeStatus(seen, status, pass, signal);
    undone.noteWritten(key, status);
  }
  for (const event of steps.eventsOf(seen, action, outcome, status)) steps.record(seen, event);
  return { picture, heldBackMs };
}

/** Since when actions have failed, without one between that did not; by key. */
export class FailingSince {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #sinceMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Called when another one has failed. */
  lastedMs(key: string): number {
    const nowMs = this.#clock.monotonic();
    const sinceMs = this.#sinceMs.get(key) ?? nowMs;
    this.#sinceMs.set(key, sinceMs);
    return nowMs - sinceMs;
  }

  end(key: string): void {
    this.#sinceMs.delete(key);
  }
}
