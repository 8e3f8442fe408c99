import type { KubernetesError } from "../../../src/kubernetes/kubernetes-error.ts";
import type { Property } from "./property.ts";

/** Words that tell somebody what to do, ours and the API server's. */
const REMEDY =
  /\b(must|should|supported values|may not|write|use|choose|remove|set|fill|put|raise|say|name|required|ask|keep|at most|at least)\b/i;

/** What a refusal does not say: the field, what it holds, and what to do. */
export function lacksInRefusal({ message }: KubernetesError, { path }: Property, value: unknown): readonly string[] {
  const names = path.replace(/\[\]|\{\}/g, "").split(".");
  const isNamed = names.slice(-2).some((name) => message.includes(name));
  const shown = typeof value === "object" ? "" : String(value ?? "").slice(0, 20);
  // What is too long is not repeated, of a map the key is shown, and of two numbers none.
  const isOther = path.endsWith("{}") || /at least five times/.test(message);
  const isShown = isOther || [shown, typeOf(value), "Too long", "Too many"].some((words) => message.includes(words));
  return [
    ...(isNamed ? [] : [`the refusal does not name the field: ${message}`]),
    ...(isShown ? [] : [`the refusal does not show the value: ${message}`]),
    ...(REMEDY.test(message) ? [] : [`the refusal does not say what to do: ${message}`]),
  ];
}

function typeOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
