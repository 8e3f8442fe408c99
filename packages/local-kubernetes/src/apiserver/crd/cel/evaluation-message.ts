import type { EvaluationError } from "@marcbachmann/cel-js";

/** Why an evaluation failed, in the words of the real server's CEL. */
export function evaluationMessage({ code, summary }: EvaluationError): string {
  switch (code) {
    case "no_such_key":
      return summary.replace(/^No such key/, "no such key");
    case "index_out_of_bounds":
      return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1]}`;
    case "no_such_overload":
    case "no_matching_overload":
    case "invalid_condition_type":
    case "invalid_logical_operand":
      return "no such overload";
    case "division_by_zero":
      return "division by zero";
    case "modulo_by_zero":
      return "modulus by zero";
    case "numeric_overflow":
      return "integer overflow";
    case "optional_value_missing":
      return "optional.none() dereference";
    default:
      return summary;
  }
}
