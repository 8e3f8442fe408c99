import type { Pass } from "@etcd-operator/controller-runtime";
import { isWorthTelling, reasonOf } from "@etcd-operator/controller-runtime";
import type { Clock } from "@etcd-operator/kubernetes-client";
import { refusalInWords } from "@etcd-operator/kubernetes-client";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import type { Steps } from "./reconcile-steps.ts";

const DONE: ActionOutcome = { kind: "done" };
/** An action that takes longer is told of while it lasts: a webhook may keep the API server from answering for half a minute. */
const SLOW_MS = 5_000;
/** What fails for longer does not pass by itself within moments: a person may have to look. */
const LASTING_MS = 10_000;

export interface Acted {
  readonly outcome: ActionOutcome;
  /** With the cluster as it was written meanwhile. */
  readonly picture: Observation;
}

/**
 * Carries an action out. While it hangs, and when it fails, the status is brought up to what was seen all the same: it must not go on saying
 * what was true before. The failure is still that of the pass.
 */
export async function actAndTell(
  steps: Steps,
  picture: Observation,
  action: Action,
  failures: FailuresOfOne,
  pass: Pass,
  signal: AbortSignal,
): Promise<Acted> {
  const tell = (reason: string, why: string) => {
    const hold: Action = { kind: "hold", reason, message: `${action.message}; but ${why}` };
    // When this fails too, the first failure is still the one to report.
    return report(steps, picture, hold, DONE, pass, signal).catch(() => picture);
  };
  let told: Promise<Observation> | undefined;
  const cancel = steps.clock.after(SLOW_MS, () => {
    told = tell(action.reason, `there was no answer for ${SLOW_MS / 1000} s`);
  });
  try {
    const outcome = await steps.act(picture, action, pass, signal);
    failures.end();
    cancel();
    return { outcome, picture: (await told) ?? picture };
  } catch (error) {
    cancel();
    await told;
    if (isWorthTelling(error) && !signal.aborted) {
      await tell(failures.needsALook(error) ? "ActionFailed" : action.reason, refusalInWords(error));
    }
    throw error;
  }
}

/** The status is written before anybody hears of it: an intent that is not on record must have no consequence. */
export async function report(
  steps: Steps,
  seen: Observation,
  action: Action,
  outcome: ActionOutcome,
  pass: Pass,
  signal: AbortSignal,
): Promise<Observation> {
  const { cluster } = seen;
  const status = steps.statusAfter(seen, action, outcome);
  const isNews = steps.isWorthWriting(cluster.status, status);
  const stored = isNews ? await steps.writeStatus(cluster, status, pass, signal) : undefined;
  for (const event of steps.eventsOf(seen, action, outcome, status)) steps.record(cluster, event);
  return stored ? { ...seen, cluster: { ...cluster, metadata: stored.metadata, status } } : seen;
}

/** What only the user or an administrator can mend. */
const FOR_THE_USER = new Set(["forbidden", "invalid", "name-taken"]);

type FailuresOfOne = ReturnType<Failures["of"]>;

/** Since when actions have failed, without one between that did not; by cluster. */
export class Failures {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #sinceMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  of(key: string) {
    return {
      end: () => this.end(key),
      /** Whether it is more than what passes by itself in a moment. */
      needsALook: (error: Error) => {
        const nowMs = this.#clock.monotonic();
        const sinceMs = this.#sinceMs.get(key) ?? nowMs;
        this.#sinceMs.set(key, sinceMs);
        return FOR_THE_USER.has(reasonOf(error)) || nowMs - sinceMs >= LASTING_MS;
      },
    };
  }

  end(key: string): void {
    this.#sinceMs.delete(key);
  }
}
