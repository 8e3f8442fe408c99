import { type Environment, Optional } from "@marcbachmann/cel-js";

// The parts of the library's macro interface that are used here; its own types say `any`.
interface Node {
  readonly op: string;
  readonly args: readonly [Node, string];
}
interface Checker {
  check(node: Node, context: unknown): unknown;
  getType(name: string): unknown;
  createError(code: string, message: string, node: Node): Error;
}
interface Evaluator {
  run(node: Node, context: unknown): unknown;
}
interface Macro {
  readonly selected: Node;
}

/**
 * `has()`, spelt `hAs` (see expression.ts): the library's own looks only into chains of names, and lets fields pass
 * that the schema does not have.
 */
export function registerPresence(env: Environment): void {
  env.registerFunction("hAs(ast): bool", ({ args }: { args: readonly Node[] }) => ({
    selected: args[0],
    typeCheck(checker: Checker, { selected }: Macro, context: unknown) {
      if (selected.op !== "." && selected.op !== ".?") {
        throw checker.createError("invalid_macro_argument", "invalid argument to has() macro", selected);
      }
      checker.check(selected, context);
      return checker.getType("bool");
    },
    evaluate(evaluator: Evaluator, { selected }: Macro, context: unknown) {
      const [operand, name] = selected.args;
      return isPresent(evaluator.run(operand, context), name);
    },
    async: false,
  }));
}

function isPresent(holder: unknown, name: string): boolean {
  if (holder instanceof Optional) return holder.hasValue() && isPresent(holder.value(), name);
  if (holder instanceof Map) return holder.get(name) !== undefined;
  return typeof holder === "object" && holder !== null && Object.hasOwn(holder, name);
}
