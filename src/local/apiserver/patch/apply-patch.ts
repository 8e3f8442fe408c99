import { parse, parseDocument } from "yaml";
import { badRequest } from "../api-error.ts";
import { duplicateFields } from "../http/duplicate-fields.ts";
import { isObject, type JsonObject } from "../kube-object.ts";

export interface AppliedBody {
  readonly object: JsonObject;
  /** Complains about fields that are given twice, once everything else is in order. */
  report(): void;
}

interface Validation {
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  warn(text: string): void;
}

/** Reads what is applied, which is YAML; most clients send JSON. */
export function readApplied(text: string, { fieldValidation, warn }: Validation): AppliedBody {
  const value = parsed(text);
  if (!isObject(value)) {
    const why = `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  const report = () => {
    if (fieldValidation === "Ignore") return;
    const [why] = repeatedKeys(text);
    if (why === undefined) return;
    if (fieldValidation === "Strict") throw badRequest(`error strict decoding YAML: ${why}`);
    warn(why);
  };
  return { object: value, report };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What the other format says of it is what counts.
  }
  try {
    // Kubernetes reads YAML 1.1, in which `no` is a boolean.
    return parse(text, { version: "1.1", uniqueKeys: false, logLevel: "error" }) ?? {};
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${goMessage(why)}`);
  }
}

function goMessage(message: string): string {
  return message.startsWith("Nested mappings are not allowed")
    ? "mapping values are not allowed in this context"
    : message;
}

function repeatedKeys(text: string): string[] {
  try {
    JSON.parse(text);
    return duplicateFields(text).map((field) => `key ${JSON.stringify(field.split(".").at(-1))} already set in map`);
  } catch {
    const { errors } = parseDocument(text, { version: "1.1", logLevel: "silent" });
    const repeated = errors.filter(({ code }) => code === "DUPLICATE_KEY");
    return repeated.map(({ message }) => `error converting YAML to JSON: yaml: ${message.split("\n")[0]}`);
  }
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
