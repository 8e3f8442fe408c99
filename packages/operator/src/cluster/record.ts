import { recordCluster, recordReattached, recordSeeds } from "./bootstrap/bootstrap.record.ts";
import { recordForgotten, recordJoin, recordPromotion, recordRemoval } from "./membership/membership.record.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { recordRecovery, recordRestoreStep, recordRoom, recordSaved } from "./restore/restore.record.ts";

/**
 * What an action puts on record, in the status that follows it. That has the version of the EtcdCluster that was
 * observed as its precondition, so an intent is on record before anything is made of it, and only if nothing else was
 * recorded since.
 */
type Recorder<K extends Action["kind"]> = (
  seen: Observation,
  action: Extract<Action, { kind: K }>,
  outcome: ActionOutcome,
) => Observation;

type Recorders = { readonly [K in Action["kind"]]?: Recorder<K> };

/** Of these actions the record is all there is. */
const RECORD_ONLY = {
  "forget-intents": recordForgotten,
  "record-cluster": recordCluster,
  "begin-restore": recordRestoreStep,
  "note-saved": recordSaved,
} as const satisfies Recorders;

/** These record more than `act.ts` does, or record what it only checks. */
const RECORDERS: Recorders = {
  ...RECORD_ONLY,
  "declare-seeds": recordSeeds,
  "declare-join": recordJoin,
  reattach: recordReattached,
  "adopt-orphans": recordReattached,
  "promote-member": recordPromotion,
  "remove-member": recordRemoval,
  "turn-restore": recordRestoreStep,
  "create-restore": recordRecovery,
  "discard-set-aside": recordRoom,
};

type RecordOnly = Extract<Action, { kind: keyof typeof RECORD_ONLY }>;

export function isRecordOnly(action: Action): action is RecordOnly {
  return Object.hasOwn(RECORD_ONLY, action.kind);
}

/** What was observed as an action left it, as far as that is certain without observing again. */
export function afterAction(seen: Observation, action: Action, outcome: ActionOutcome): Observation {
  return outcome.kind === "postponed" ? seen : recorded(seen, action, outcome);
}

function recorded<K extends Action["kind"]>(
  seen: Observation,
  action: Extract<Action, { kind: K }>,
  outcome: ActionOutcome,
): Observation {
  const record: Recorder<K> | undefined = RECORDERS[action.kind as K];
  return record ? record(seen, action, outcome) : seen;
}
