import type * as z from "zod";
import { type KindName, kinds } from "../kinds.ts";

/** One thing wrong with an object: the field, what it holds, and what to do. */
export interface Problem {
  readonly field: string;
  readonly value: unknown;
  readonly message: string;
  /** It is not even of the type that the field has. */
  readonly isOfWrongType?: true;
}

export type Judgement<T> =
  | { readonly kind: "valid"; readonly object: T }
  | { readonly kind: "invalid"; readonly problems: readonly Problem[] };

type ObjectOf<K extends KindName> = z.output<(typeof kinds)[K]["schema"]>;

/** Reads an object of ours as the API server would: defaults filled in, or the list of what is wrong with it. */
export function judge<K extends KindName>(kind: K, object: unknown): Judgement<ObjectOf<K>> {
  const given = withoutNulls(object);
  const result = kinds[kind].schema.safeParse(given);
  if (result.success) return { kind: "valid", object: result.data as ObjectOf<K> };
  return { kind: "invalid", problems: result.error.issues.map((issue) => problemOf(issue, given)) };
}

/** As much of a status as this release knows; undefined where it cannot be read. */
export function judgeStatus(kind: KindName, status: unknown): unknown {
  const read = kinds[kind].schema.shape.status.safeParse(withoutNulls(status));
  return read.success ? read.data : undefined;
}

/** A problem as one line: field, value, remedy. */
export function describeProblem({ field, value, message }: Problem): string {
  const shown = JSON.stringify(value) ?? "nothing";
  return `${field}: ${shown.length > 200 ? `${shown.slice(0, 200)}…` : shown}: ${message}`;
}

/** A blank field is treated as unset: the API server does so, and coreos/etcd-operator did. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(present.map(([key, field]) => [key, withoutNulls(field)]));
}

function problemOf(issue: z.core.$ZodIssue, object: unknown): Problem {
  // What is wrong with the object itself can only be its name.
  const path = issue.path.length === 0 ? ["metadata", "name"] : issue.path;
  let value: unknown = object;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return {
    field: fieldOf(path),
    value,
    message: value === undefined ? "required: set this field" : remedyOf(issue),
    ...(WRONG_TYPES.has(issue.code) && { isOfWrongType: true as const }),
  };
}

const WRONG_TYPES: ReadonlySet<string> = new Set(["invalid_type", "invalid_union", "invalid_key", "invalid_element"]);

const WORD_FOR: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "a block of fields",
  record: "a map",
};

function remedyOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_big":
      return `too large or too long: at most ${issue.maximum}`;
    case "too_small":
      return `too small or too short: at least ${issue.minimum}`;
    case "invalid_value":
      return `not supported: use one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "invalid_type":
      return `of the wrong type: write ${WORD_FOR[issue.expected] ?? issue.expected}`;
    default:
      return issue.message;
  }
}

function fieldOf(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return parts.join("").replace(/^\./, "");
}
