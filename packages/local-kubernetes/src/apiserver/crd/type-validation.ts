import { isDeepStrictEqual } from "node:util";
import { typeInvalid } from "./cause.ts";
import { child } from "./field-path.ts";
import { Findings } from "./findings.ts";
import { formatCheck } from "./formats.ts";
import { goQuote } from "./go-text.ts";
import type { Place } from "./scalar-validation.ts";
import type { Schema } from "./schema.ts";

/** Whether a value is of the type that its schema wants. */
export function typeFindings(schema: Schema, value: unknown, place: Place): Findings {
  const wanted = wantedTypes(schema);
  const findings = new Findings();
  if (value === null) {
    return wanted.length === 0 || schema.nullable ? findings.count() : mismatch(wanted.join(","), "null", place);
  }
  const { type, format } = kindOf(value);
  const isWanted =
    wanted.includes(type) ||
    (type === "integer" && wanted.includes("number")) ||
    (type === "number" && Number.isInteger(value) && wanted.includes("integer"));
  const hasFormat = formatCheck(schema.format) !== undefined;
  if (hasFormat && type !== "string" && type !== "array" && !isWanted) {
    return mismatch(schema.format ?? "", format, place);
  }
  // A format speaks for strings; where one is set, lists slip through on the real server as well.
  const isLeftToFormat = hasFormat && (type === "string" || type === "array");
  if (isLeftToFormat && !wanted.includes("number") && !wanted.includes("integer")) return findings.count();
  return isWanted ? findings.count() : mismatch(wanted.join(","), type, place);
}

/** Whether a value is among those of an enum; null never is. */
export function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return value !== null && values.some((each) => isDeepStrictEqual(each, value));
}

function wantedTypes(schema: Schema): string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

function mismatch(wanted: string, actual: string, { base, name }: Place): Findings {
  const text = `${name} in body must be of type ${wanted}: ${goQuote(actual)}`;
  return new Findings().add(text, typeInvalid(child(base, name), actual, text));
}

function kindOf(value: unknown): { type: string; format: string } {
  if (Array.isArray(value)) return { type: "array", format: "" };
  if (typeof value !== "number") return { type: typeof value, format: "" };
  return Number.isInteger(value) ? { type: "integer", format: "int64" } : { type: "number", format: "float64" };
}
