import type { Action, Operation, Outcome, RunHistory, WatchedEvent, WatchPiece } from "../history/operation.ts";
import { Recorder } from "../history/recorder.ts";

/**
 * A store that does what etcd promises, written by hand: each operation is carried out between its call and its return.
 */
export class PretendedRun implements RunHistory {
  readonly #recorder = new Recorder(() => 0);
  readonly events: WatchedEvent[] = [];
  #revision: bigint;
  #epoch = 0;
  #restored: readonly WatchedEvent[] = [];
  #state = new Map<string, { value: string; modRevision: bigint; version: bigint }>();

  constructor() {
    this.#revision = 1n;
    this.#recorder.beginEpoch(1n);
  }

  get epochs() {
    return this.#recorder.epochs;
  }
  get operations() {
    return this.#recorder.operations;
  }
  get watches() {
    return this.#recorder.watches;
  }
  get revision(): bigint {
    return this.#revision;
  }

  /** Asks, and is answered as etcd would. */
  does(action: Action, key = "k", client = "c"): Operation {
    const done = this.#recorder.call({ client, epoch: this.#epoch, key, action });
    return done(this.#carryOut(action, key));
  }

  /** Asks, and is answered as the test says, whatever the store holds. */
  isTold(action: Action, outcome: Outcome, key = "k"): Operation {
    return this.#recorder.call({ client: "c", epoch: this.#epoch, key, action })(outcome);
  }

  /** Asks, and never learns that it was done. */
  loses(action: Action, key = "k"): void {
    this.#carryOut(action, key);
    this.isTold(action, { kind: "unknown", why: "no answer" }, key);
  }

  watched(from: bigint, through = this.#revision, given: Partial<WatchPiece> = {}): WatchPiece {
    const listed = given.isResumed ? [] : this.#stateBefore(from);
    const piece = { watcher: "w", epoch: this.#epoch, from, isResumed: false, listed, ...given };
    const begun = this.#recorder.beginPiece(piece);
    begun.through = through;
    begun.events.push(...this.events.filter(({ revision }) => revision >= from && revision <= through));
    return begun;
  }

  /** Another cluster takes its place, with what this one had at a revision. */
  restore(state: ReadonlyMap<string, { value: string; modRevision: bigint }>, restoredTo: bigint): void {
    this.#epoch = this.#recorder.beginEpoch(2n, restoredTo).number;
    this.#revision = restoredTo + 1_000n;
    this.#state = new Map([...state].map(([key, seen]) => [key, { ...seen, version: 1n }]));
    this.#restored = [...this.#state].map(([key, { modRevision, ...rest }]) => ({
      key,
      revision: modRevision,
      ...rest,
    }));
    this.events.length = 0;
  }

  /** What a read of all keys at the previous revision finds. */
  #stateBefore(from: bigint): readonly WatchedEvent[] {
    const newest = new Map<string, WatchedEvent>();
    for (const event of [...this.#restored, ...this.events]) if (event.revision < from) newest.set(event.key, event);
    return [...newest.values()].filter(({ value }) => value !== undefined);
  }

  #carryOut(action: Action, key: string): Outcome {
    const before = this.#state.get(key);
    const seen = before && { value: before.value, modRevision: before.modRevision };
    const hasChanged =
      action.kind === "write" ||
      (action.kind === "delete" && before !== undefined) ||
      (action.kind === "swap" && before?.value === action.from);
    if (hasChanged) this.#change(key, action.kind === "delete" ? undefined : action.to);
    const tells = action.kind !== "write" && !(action.kind === "swap" && hasChanged);
    return { kind: "ok", revision: this.#revision, hasChanged, seen: tells ? seen : undefined };
  }

  #change(key: string, value: string | undefined): void {
    this.#revision += 1n;
    const version = value === undefined ? 0n : (this.#state.get(key)?.version ?? 0n) + 1n;
    if (value === undefined) this.#state.delete(key);
    else this.#state.set(key, { value, modRevision: this.#revision, version });
    this.events.push({ key, value, revision: this.#revision, version });
  }
}

export const read: Action = { kind: "read" };
export const remove: Action = { kind: "delete" };
export const write = (to: string): Action => ({ kind: "write", to });
export const swap = (from: string | undefined, to: string): Action => ({ kind: "swap", from, to });
