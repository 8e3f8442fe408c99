import type { Random } from "../../../model/random.ts";
import type { Effect, RegisterOperation, Value } from "./register.ts";

export interface HistoryWishes {
  readonly operations: number;
  /** Each has at most one operation under way that it waits for. */
  readonly clients: number;
  /** How likely it is that a write has no answer. */
  readonly unknown?: number;
  readonly initial?: Value;
}

/** One that was begun, and what has come of it. */
interface Open {
  readonly id: number;
  readonly calledAt: number;
  readonly attempt: Attempt;
  effect: Effect | undefined;
}

type Attempt =
  | { readonly kind: "read" }
  | { readonly kind: "write"; readonly to: Value }
  | { readonly kind: "swap"; readonly from: Value; readonly to: Value };

/**
 * A history that is linearizable for certain: a register that exists, clients that call it, and answers that are lost.
 */
export function aHistory(random: Random, { operations, clients, unknown = 0, initial }: HistoryWishes) {
  const done: RegisterOperation[] = [];
  const busy = new Map<number, Open>();
  // No client waits for these any more; each takes effect some time later, or never.
  const forgotten: Open[] = [];
  let [state, clock, begun]: [Value, number, number] = [initial, 0, 0];
  const values: Value[] = [initial];
  const apply = (open: Open) => {
    [state, open.effect] = applied(state, open.attempt);
  };
  while (begun < operations || busy.size > 0) {
    clock += 1;
    const late = random.int(forgotten.length + 1);
    if (random.chance(0.1) && forgotten[late]) apply(forgotten.splice(late, 1)[0] as Open);
    const client = random.int(clients);
    const open = busy.get(client);
    if (!open) {
      if (begun === operations) continue;
      const attempt = anAttempt(random, begun, values);
      if (attempt.kind !== "read") values.push(attempt.to);
      busy.set(client, { id: begun, calledAt: clock, attempt, effect: undefined });
      begun += 1;
    } else if (open.attempt.kind !== "read" && random.chance(unknown)) {
      busy.delete(client);
      done.push({ id: open.id, calledAt: open.calledAt, returnedAt: Number.POSITIVE_INFINITY, effect: open.attempt });
      if (!open.effect) forgotten.push(open);
    } else if (!open.effect) apply(open);
    else {
      busy.delete(client);
      done.push({ id: open.id, calledAt: open.calledAt, returnedAt: clock, effect: open.effect });
    }
  }
  return done.sort((one, other) => one.id - other.id);
}

function anAttempt(random: Random, number: number, values: readonly Value[]): Attempt {
  const kind = random.pick(["read", "write", "swap", "delete"] as const) ?? "read";
  const to = `v${number}`;
  switch (kind) {
    case "read":
      return { kind };
    case "write":
      return { kind, to };
    case "swap":
      return { kind, from: values.at(-1 - random.int(Math.min(3, values.length))), to };
    case "delete":
      return random.chance(0.3) ? { kind: "write", to: undefined } : { kind: "write", to };
  }
}

/** A swap that finds something else has read it. */
function applied(state: Value, attempt: Attempt): [Value, Effect] {
  if (attempt.kind === "read") return [state, { kind: "read", saw: state }];
  if (attempt.kind === "swap" && attempt.from !== state) return [state, { kind: "read", saw: state }];
  return [attempt.to, attempt];
}
