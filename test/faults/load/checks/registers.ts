import { type Operation, type RunHistory, told } from "../history/operation.ts";
import { linearizable, type Verdict } from "../linearizability/linearizable.ts";
import type { Effect, RegisterOperation } from "../linearizability/register.ts";
import { initialOf, valueAfter } from "./changes.ts";

const AROUND = 8;

/** Every key of every epoch, as a register of its own: what is not linearizable, with the operations around it. */
export function brokenRegisters(history: RunHistory): readonly string[] {
  return history.epochs.flatMap(({ number }) => {
    const initial = initialOf(history, number);
    const operations = history.operations.filter(({ epoch }) => epoch === number);
    const keys = [...new Set(operations.map(({ key }) => key))].sort();
    return keys.flatMap((key) => {
      const own = operations.filter((operation) => operation.key === key);
      const verdict = linearizable(own.flatMap(asRegister), { initial: initial.get(key)?.value });
      return verdict.kind === "linearizable" ? [] : [accusation(key, own, verdict)];
    });
  });
}

/** undefined outcomes of reads show nothing, and what was refused did not happen. */
function asRegister(operation: Operation): readonly RegisterOperation[] {
  const { id, calledAt, returnedAt, outcome } = operation;
  const effect = effectOf(operation);
  if (!effect) return [];
  return [{ id, calledAt, returnedAt: outcome.kind === "ok" ? returnedAt : Number.POSITIVE_INFINITY, effect }];
}

function effectOf({ action, outcome }: Operation): Effect | undefined {
  if (outcome.kind === "refused") return undefined;
  const to = valueAfter(action);
  if (outcome.kind === "unknown") {
    if (action.kind === "read") return undefined;
    return action.kind === "swap" ? { kind: "swap", from: action.from, to } : { kind: "write", to };
  }
  if (!outcome.hasChanged) return { kind: "read", saw: outcome.seen?.value };
  if (action.kind === "swap") return { kind: "swap", from: action.from, to };
  if (action.kind === "delete") return { kind: "swap", from: outcome.seen?.value, to };
  return { kind: "write", to };
}

function accusation(
  key: string,
  operations: readonly Operation[],
  verdict: Exclude<Verdict, { kind: "linearizable" }>,
) {
  const sorted = [...operations].sort((one, other) => one.calledAt - other.calledAt);
  const at = sorted.findIndex(({ id }) => id === verdict.at.id);
  const around = sorted.slice(Math.max(0, at - AROUND), at + AROUND + 1);
  const lines = around.map((operation) => `  ${operation.id === verdict.at.id ? "→" : " "} ${told(operation)}`);
  const held =
    verdict.kind === "violated"
      ? `is not linearizable; before, it may have held ${verdict.states.map((state) => state ?? "nothing").join(" or ")}`
      : `could not be judged in ${verdict.steps} steps`;
  return [`key ${key} ${held}:`, ...lines].join("\n");
}
