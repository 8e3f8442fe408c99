import { goJson, goQuote } from "./go-text.ts";

/** One entry of `Status.details.causes`. */
export interface Cause {
  readonly reason: CauseReason;
  readonly message: string;
  readonly field: string;
}

export type CauseReason =
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueRequired"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError";

export function invalid(field: string, value: unknown, detail: string): Cause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${shown(value)}: ${detail}`, field: named(field) };
}

export function typeInvalid(field: string, value: unknown, detail: string): Cause {
  return { reason: "FieldValueTypeInvalid", message: `Invalid value: ${shown(value)}: ${detail}`, field: named(field) };
}

export function required(field: string, detail = ""): Cause {
  return { reason: "FieldValueRequired", message: joined("Required value", detail), field: named(field) };
}

export function forbidden(field: string, detail: string): Cause {
  return { reason: "FieldValueForbidden", message: joined("Forbidden", detail), field: named(field) };
}

export function duplicate(field: string, value: unknown): Cause {
  return { reason: "FieldValueDuplicate", message: `Duplicate value: ${shown(value)}`, field: named(field) };
}

export function notSupported(field: string, value: unknown, supported: readonly unknown[]): Cause {
  const values = supported.map((each) => goQuote(typeof each === "string" ? each : goJson(each)));
  const detail = values.length > 0 ? `supported values: ${values.join(", ")}` : "";
  const message = joined(`Unsupported value: ${shown(value)}`, detail);
  return { reason: "FieldValueNotSupported", message, field: named(field) };
}

export function tooLong(field: string, max: number): Cause {
  const detail = `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`;
  return { reason: "FieldValueTooLong", message: `Too long: ${detail}`, field: named(field) };
}

export function tooMany(field: string, actual: number, max: number): Cause {
  const detail = `must have at most ${max} ${max === 1 ? "item" : "items"}`;
  return { reason: "FieldValueTooMany", message: `Too many: ${actual}: ${detail}`, field: named(field) };
}

/** After these the API server does not run CEL rules: they rely on a schema that holds. */
export function isBlocking({ reason }: Cause): boolean {
  return BLOCKING.has(reason);
}

const BLOCKING: ReadonlySet<CauseReason> = new Set<CauseReason>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

function joined(title: string, detail: string): string {
  return detail === "" ? title : `${title}: ${detail}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : goJson(value);
}

function named(field: string): string {
  return field === "" ? "<nil>" : field;
}
