import type { Action, Epoch, Operation, Outcome, RunHistory, WatchPiece } from "./operation.ts";

export interface Call {
  readonly client: string;
  readonly epoch: number;
  readonly key: string;
  readonly action: Action;
}

/** Records the requests of clients and their answers, on one clock. */
export class Recorder implements RunHistory {
  readonly epochs: Epoch[] = [];
  readonly operations: Operation[] = [];
  readonly watches: WatchPiece[] = [];
  readonly #nowMs: () => number;
  #clock = 0;
  #count = 0;

  constructor(nowMs: () => number) {
    const began = nowMs();
    this.#nowMs = () => Math.round((nowMs() - began) * 1000) / 1000;
  }

  /** The call is made now; what is returned is to be called with what came of it. */
  call(call: Call): (outcome: Outcome) => Operation {
    const [id, calledAt, calledMs] = [this.#count, this.#tick(), this.#nowMs()];
    this.#count += 1;
    return (outcome) => {
      const operation = {
        id,
        ...call,
        calledAt,
        returnedAt: this.#tick(),
        calledMs,
        returnedMs: this.#nowMs(),
        outcome,
      };
      this.operations.push(operation);
      return operation;
    };
  }

  beginEpoch(clusterId: bigint, restoredTo?: bigint): Epoch {
    const epoch = { number: this.epochs.length, clusterId, ...(restoredTo !== undefined && { restoredTo }) };
    this.epochs.push(epoch);
    return epoch;
  }

  beginPiece(piece: Pick<WatchPiece, "watcher" | "epoch" | "from" | "isResumed" | "listed">): WatchPiece {
    const begun = { ...piece, through: piece.from - 1n, events: [] };
    this.watches.push(begun);
    return begun;
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }
}
