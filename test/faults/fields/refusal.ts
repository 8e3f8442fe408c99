import type { KubernetesError } from "@etcd-operator/kubernetes-client";
import type { Property } from "./property.ts";

/** Words that name the remedy, ours and the API server's. */
const REMEDY =
  /\b(must|should|supported values|may not|write|use|choose|remove|set|fill|put|raise|revert|say|name|required|ask|keep|at most|at least)\b/i;

/** What a refusal does not say: the field, what it holds, and what to do. */
export function lacksInRefusal(
  { message }: Pick<KubernetesError, "message">,
  { path }: Pick<Property, "path">,
  value: unknown,
): readonly string[] {
  const names = path.replace(/\[\]|\{\}/g, "").split(".");
  const isNamed = names.slice(-2).some((name) => message.includes(name));
  // Of a map the key is shown.
  const isShown = path.endsWith("{}") || shows(message, value);
  return [
    ...(isNamed ? [] : [`the refusal does not name the field: ${message}`]),
    ...(isShown ? [] : [`the refusal does not show the value: ${message}`]),
    // A client cuts what is longer than it keeps; kubectl shows all of it.
    ...(REMEDY.test(message) || message.endsWith("…") ? [] : [`the refusal does not say what to do: ${message}`]),
  ];
}

function shows(message: string, value: unknown): boolean {
  // No message has two lines.
  const text = String(value ?? "").replaceAll("\n", String.raw`\n`);
  const shown = typeof value === "object" ? "" : text.slice(0, 20);
  // Of what has another type, that is shown; what is too long is not repeated.
  const isOfOtherType = /must be of type \S+: /.test(message) && message.includes(`: "${typeOf(value)}"`);
  return message.includes(shown) || isOfOtherType || /Too (long|many)/.test(message);
}

function typeOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
