import { bounded } from "./bounded.ts";
import { isUnknown, observedBy, type RegisterOperation, type Value } from "./register.ts";

export type Verdict =
  | { readonly kind: "linearizable"; readonly steps: number }
  | {
      readonly kind: "violated";
      readonly steps: number;
      /** Up to its return, but not with it, the history can be explained. */
      readonly at: RegisterOperation;
      /** Operations that were under way when it returned, and may have taken effect before. */
      readonly pending: readonly RegisterOperation[];
      /** What the register may have held just before. */
      readonly states: readonly Value[];
    }
  /** The search was aborted. */
  | { readonly kind: "undecided"; readonly steps: number; readonly at: RegisterOperation };

export interface Given {
  readonly initial?: Value;
  /** How many configurations are checked before the search is aborted. */
  readonly maxSteps?: number;
}

/**
 * What may be so at a moment: the register's state, and which of the operations in progress has already taken effect.
 */
interface Configuration {
  readonly state: Value;
  readonly done: ReadonlySet<RegisterOperation>;
}

const MAX_STEPS = 3_000_000;

/**
 * Whether one order of all operations, each between its call and its return, explains the answer of every one of them.
 * It follows the history from return to return and keeps every configuration that can be, each once: no operation need
 * take effect earlier than just before one returns. (Wing and Gong's search, with the memory of Lowe's; breadth first,
 * so that the first return that nothing explains is known.)
 */
export function linearizable(operations: readonly RegisterOperation[], given: Given = {}): Verdict {
  const { initial, maxSteps = MAX_STEPS } = given;
  const search = new Search(initial, maxSteps);
  for (const { operation, isCall } of eventsOf(bounded(operations, initial))) {
    if (isCall) {
      search.call(operation);
      continue;
    }
    const before = search.states();
    const verdict = search.return(operation);
    if (verdict === "undecided") return { kind: verdict, steps: search.steps, at: operation };
    if (verdict === "violated") {
      return { kind: verdict, steps: search.steps, at: operation, pending: search.pending(), states: before };
    }
  }
  return { kind: "linearizable", steps: search.steps };
}

class Search {
  steps = 0;
  readonly #maxSteps: number;
  readonly #numbers = new Map<RegisterOperation, number>();
  readonly #pending = new Set<RegisterOperation>();
  #configurations: readonly Configuration[];

  constructor(initial: Value, maxSteps: number) {
    this.#maxSteps = maxSteps;
    this.#configurations = [{ state: initial, done: new Set() }];
  }

  states(): readonly Value[] {
    return [...new Set(this.#configurations.map(({ state }) => state))];
  }

  pending(): readonly RegisterOperation[] {
    return [...this.#pending];
  }

  call(operation: RegisterOperation): void {
    this.#numbers.set(operation, this.#numbers.size);
    this.#pending.add(operation);
    if (operation.effect.kind !== "read") return;
    this.#configurations = this.#configurations.map((each) => this.#withReads(each));
  }

  return(operation: RegisterOperation): "goes on" | "violated" | "undecided" {
    const after = new Map<string, Configuration>();
    const seen = new Set<string>();
    const open = [...this.#configurations];
    for (let next = open.pop(); next; next = open.pop()) {
      const key = this.#key(next);
      if (seen.has(key)) continue;
      seen.add(key);
      this.steps += 1;
      if (this.steps > this.#maxSteps) return "undecided";
      if (next.done.has(operation)) {
        const rest = { state: next.state, done: without(next.done, operation) };
        after.set(this.#key(rest), rest);
      } else open.push(...this.#successors(next));
    }
    if (after.size === 0) return "violated";
    this.#pending.delete(operation);
    this.#configurations = this.#undominated([...after.values()]);
    return "goes on";
  }

  /** One more of those under way takes effect. Reads are never worth waiting for: they change nothing. */
  #successors(from: Configuration): readonly Configuration[] {
    const successors: Configuration[] = [];
    const tried = new Set<string>();
    for (const operation of this.#pending) {
      const { effect } = operation;
      if (effect.kind === "read" || from.done.has(operation)) continue;
      // Of those without a waiting client that do the same, such as deletions, one is as good as another.
      if (isUnknown(operation) && tried.size === tried.add(JSON.stringify(effect)).size) continue;
      if (effect.kind === "swap" && effect.from !== from.state) continue;
      successors.push(this.#withReads({ state: effect.to, done: new Set(from.done).add(operation) }));
    }
    return successors;
  }

  #withReads({ state, done }: Configuration): Configuration {
    const reads = [...this.#pending].filter(
      (operation) => operation.effect.kind === "read" && observedBy(operation)?.value === state && !done.has(operation),
    );
    return reads.length === 0 ? { state, done } : { state, done: new Set([...done, ...reads]) };
  }

  /** One that has used up fewer operations without a waiting client can do all that the other can. */
  #undominated(configurations: readonly Configuration[]): readonly Configuration[] {
    if (![...this.#pending].some(isUnknown)) return configurations;
    const alike = new Map<string, Configuration[]>();
    for (const each of configurations) {
      const key = this.#key({ state: each.state, done: new Set([...each.done].filter((one) => !isUnknown(one))) });
      alike.set(key, [...(alike.get(key) ?? []), each]);
    }
    return [...alike.values()].flatMap((group) =>
      group.filter(({ done }) => !group.some((other) => other.done.size < done.size && isWithin(other.done, done))),
    );
  }

  #key({ state, done }: Configuration): string {
    const numbers = [...done].map((operation) => this.#numbers.get(operation) ?? -1).sort((one, other) => one - other);
    return `${numbers.join(",")}|${state === undefined ? "" : `=${state}`}`;
  }
}

function isWithin(some: ReadonlySet<RegisterOperation>, all: ReadonlySet<RegisterOperation>): boolean {
  return [...some].every((each) => all.has(each));
}

function without(done: ReadonlySet<RegisterOperation>, operation: RegisterOperation): ReadonlySet<RegisterOperation> {
  const rest = new Set(done);
  rest.delete(operation);
  return rest;
}

interface HistoryEvent {
  readonly operation: RegisterOperation;
  readonly isCall: boolean;
  readonly at: number;
}

/** Calls and returns as they came; at the same moment calls come first, for then the operations overlap. */
function eventsOf(operations: readonly RegisterOperation[]): readonly HistoryEvent[] {
  const calls = operations.map((operation) => ({ operation, isCall: true, at: operation.calledAt }));
  const returns = operations
    .filter((operation) => !isUnknown(operation))
    .map((operation) => ({ operation, isCall: false, at: operation.returnedAt }));
  return [...calls, ...returns].sort((one, other) => one.at - other.at || Number(other.isCall) - Number(one.isCall));
}
