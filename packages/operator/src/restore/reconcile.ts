import {
  type ActionOutcome,
  type Attempt,
  type Reconcile,
  type Round,
  reconciler,
  type Special,
  type Steps,
} from "@etcd-operator/controller-runtime";
import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import type { RestoreEvent } from "./reasons.ts";
import type { RestoreStatus } from "./status.ts";

export interface RestoreKind {
  seen: Observation;
  plan: Action;
  action: Action;
  outcome: ActionOutcome;
  status: RestoreStatus;
  event: RestoreEvent;
}

export type RestoreSteps = Steps<RestoreKind> & Required<Pick<Special<RestoreKind>, "forget">>;

/** One reconcile of an EtcdRestore. */
export function restoreReconciler(steps: RestoreSteps): Reconcile {
  return reconciler<RestoreKind>(steps, {
    attempt: (seen, round) => attempt(steps, seen, round),
    obstructed: (because) => ({ kind: "obstructed", ...because }),
    changesObject: ({ kind }) => kind === "add-finalizer" || kind === "remove-finalizer",
    forget: steps.forget,
  });
}

/** What the API server refuses to store for the user ends the restore. */
async function attempt(
  { plan }: Pick<RestoreSteps, "plan">,
  seen: Observation,
  { act }: Round<RestoreKind>,
): Promise<Attempt<RestoreKind>> {
  const planned = plan(seen);
  const { outcome, picture } = await act(seen, planned);
  if (outcome.kind !== "refused") return { action: planned, outcome, picture };
  const message = `${planned.message}; but the API server does not accept it: ${outcome.why}`;
  return { action: { kind: "fail", reason: "RequestRefused", message }, outcome, picture };
}
