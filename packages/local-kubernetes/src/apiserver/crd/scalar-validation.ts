import { invalid, tooLong, typeInvalid } from "./cause.ts";
import { child } from "./field-path.ts";
import { Findings } from "./findings.ts";
import { formatCheck } from "./formats.ts";
import { goQuote } from "./go-text.ts";
import { PatternError, patternOf } from "./pattern.ts";
import type { Schema } from "./schema.ts";

/** Where a value is: causes name `base` and `name`, sentences only `name`. */
export interface Place {
  readonly base: string;
  readonly name: string;
}

/** Length, pattern and format of a string. */
export function checkString(schema: Schema, value: string, { base, name }: Place): Findings {
  const findings = new Findings();
  const field = child(base, name);
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    findings.add(`${name} in body should be at most ${schema.maxLength} chars long`, tooLong(field, schema.maxLength));
  } else if (schema.minLength !== undefined && length < schema.minLength) {
    const text = `${name} in body should be at least ${schema.minLength} chars long`;
    findings.add(text, invalid(field, value, text));
  } else if (schema.pattern) {
    const mismatch = patternMismatch(schema.pattern, value);
    const text = `${name} in body should match '${mismatch}'`;
    if (mismatch !== undefined) findings.add(text, invalid(field, value, text));
  }
  const isFormatted = formatCheck(schema.format);
  if (isFormatted) findings.count();
  if (isFormatted && !isFormatted(value)) {
    const text = `${name} in body must be of type ${schema.format}: ${goQuote(value)}`;
    findings.add(text, typeInvalid(field, value, text));
  }
  return findings.count();
}

/** Bounds and factor of a number. */
export function checkNumber(schema: Schema, value: number, { base, name }: Place): Findings {
  const findings = new Findings();
  const say = (what: string) => {
    const text = `${name} in body ${what}`;
    findings.add(text, invalid(child(base, name), value, text));
  };
  const { multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  // Beside a whole number the bounds lose what is behind their point.
  const bound = (limit: number | undefined) =>
    limit !== undefined && Number.isInteger(value) ? Math.trunc(limit) : limit;
  const [minimum, maximum] = [bound(schema.minimum), bound(schema.maximum)];
  // Beside a whole number the factor is taken for one too.
  if (multipleOf !== undefined && Number.isInteger(value) && multipleOf < 1) {
    const text = `factor MultipleOf declared for ${name} must be positive: 0`;
    findings.add(text, invalid(child(base, name), 0, text));
  } else if (multipleOf !== undefined && !isMultiple(value, multipleOf)) say(`should be a multiple of ${multipleOf}`);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    say(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    say(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  return findings.count();
}

function patternMismatch(pattern: string, value: string): string | undefined {
  try {
    return patternOf(pattern).test(value) ? undefined : pattern;
  } catch (error) {
    if (error instanceof PatternError) return `${pattern}, but pattern is invalid: ${error.message}`;
    throw error;
  }
}

function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}
