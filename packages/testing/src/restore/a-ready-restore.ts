import { plan } from "@etcd-operator/operator/restore/plan.ts";
import { aRestoreSeen, NOW_MS, type RestoreGiven, SAFETY, SAVED, SNAPSHOT, VERIFIED } from "./a-restore-seen.ts";

/** Nothing is under way. */
export const NO_RUNS = { verify: undefined, save: undefined, push: undefined };

/** A run that has come to this. */
export const ended = <Result extends object>(result: Result) => ({ kind: "ended", result }) as never;

export const SAVED_RUN = { ...NO_RUNS, save: ended({ kind: "saved", snapshot: SAFETY, verifiedMs: NOW_MS }) };

/** Verified and saved: the cluster can be asked. */
export const READY: RestoreGiven = {
  status: { snapshot: SNAPSHOT, safetySnapshot: SAFETY, conditions: [VERIFIED, SAVED] },
  runs: SAVED_RUN,
};

/** What is planned for it, with the reason of a failure. */
export function planned(given: RestoreGiven): string {
  const action = plan(aRestoreSeen(given));
  return action.kind === "fail" ? `${action.kind} ${action.reason}` : action.kind;
}
