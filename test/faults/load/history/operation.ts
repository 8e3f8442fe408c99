import type { Value } from "../linearizability/register.ts";

/** What a client wants of a key. Every value is written by one operation only, so that a read of it shows which. */
export type Action =
  | { readonly kind: "read" }
  | { readonly kind: "write"; readonly to: string }
  | { readonly kind: "delete" }
  | { readonly kind: "swap"; readonly from: Value; readonly to: string };

/** A key as a client read it. */
export interface Seen {
  readonly value: string;
  readonly modRevision: bigint;
}

export type Outcome =
  /** Its result is unknown: it may take effect at any time after the call, or never. */
  | { readonly kind: "unknown"; readonly why: string }
  /** It did not happen and never will. */
  | { readonly kind: "refused"; readonly why: string }
  | {
      readonly kind: "ok";
      /** Of the store, as the answer said; where it changed the key, this is that change. */
      readonly revision: bigint;
      readonly hasChanged: boolean;
      /** The previous value, where the answer has it; undefined: none. */
      readonly seen: Seen | undefined;
    };

export interface Operation {
  readonly id: number;
  /** The client that asked, one request after another. */
  readonly client: string;
  /** Which of the clusters that had this name one after another. */
  readonly epoch: number;
  readonly key: string;
  readonly action: Action;
  /** On one clock for all clients, which counts calls and returns. */
  readonly calledAt: number;
  readonly returnedAt: number;
  /** Since the run began, for people. */
  readonly calledMs: number;
  readonly returnedMs: number;
  readonly outcome: Outcome;
}

export interface WatchedEvent {
  readonly key: string;
  readonly revision: bigint;
  /** undefined: it was deleted. */
  readonly value: Value;
  /** How often it was written since it was created; 0 of a deletion. */
  readonly version: bigint;
}

/** What a watch reported without a break: all that happened to its keys from one revision to another. */
export interface WatchPiece {
  readonly watcher: string;
  readonly epoch: number;
  readonly from: bigint;
  through: bigint;
  /** Whether it goes on where the previous piece ended; else all keys were read again, just before `from`. */
  readonly isResumed: boolean;
  /** What was read then. */
  readonly listed: readonly WatchedEvent[];
  readonly events: WatchedEvent[];
}

/** A cluster that a run's clients knew under one id. */
export interface Epoch {
  readonly number: number;
  readonly clusterId: bigint;
  /** The revision of the backup that it began with; undefined: it began empty. */
  readonly restoredTo?: bigint;
}

/** All that is known of a run when it is over. */
export interface RunHistory {
  readonly epochs: readonly Epoch[];
  readonly operations: readonly Operation[];
  readonly watches: readonly WatchPiece[];
}

/** One operation for people, in a line. */
export function told({ id, client, epoch, key, action, outcome, ...times }: Operation): string {
  const what = action.kind === "swap" ? `swap ${action.from ?? "nothing"} for ${action.to}` : action.kind;
  const wanted = action.kind === "write" ? `${what} ${action.to}` : what;
  const when = `${seconds(times.calledMs)}–${outcome.kind === "unknown" ? "?" : seconds(times.returnedMs)}`;
  return `#${id} ${client} epoch ${epoch} ${when} ${wanted} of ${key}: ${toldOutcome(outcome)}`;
}

export function toldEvent({ key, value, revision, version }: WatchedEvent): string {
  return `${key} = ${value ?? "nothing"} (revision ${revision}, version ${version})`;
}

function toldOutcome(outcome: Outcome): string {
  if (outcome.kind !== "ok") return `${outcome.kind} (${outcome.why})`;
  const { revision, hasChanged, seen } = outcome;
  const found = seen ? `${seen.value} (revision ${seen.modRevision})` : "nothing";
  return hasChanged ? `done at revision ${revision}` : `found ${found} at revision ${revision}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}
