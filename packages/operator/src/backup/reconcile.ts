import {
  type ActionOutcome,
  planAndAct,
  type Reconcile,
  reconciler,
  type Special,
  type Steps,
} from "@etcd-operator/controller-runtime";
import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import type { BackupEvent } from "./reasons.ts";
import type { Status } from "./situation.ts";

export interface BackupKind {
  seen: Observation;
  plan: Action;
  action: Action;
  outcome: ActionOutcome;
  status: Status;
  event: BackupEvent;
}

export type BackupSteps = Steps<BackupKind> & Required<Pick<Special<BackupKind>, "settle" | "forget">>;

/** One reconcile of an EtcdBackup. */
export function backupReconciler(steps: BackupSteps): Reconcile {
  const { settle, forget } = steps;
  return reconciler<BackupKind>(steps, {
    attempt: planAndAct(steps.plan),
    obstructed: (because) => ({ kind: "obstructed", ...because }),
    changesObject: ({ kind }) => kind === "add-finalizer" || kind === "remove-finalizer",
    settle,
    forget,
  });
}
