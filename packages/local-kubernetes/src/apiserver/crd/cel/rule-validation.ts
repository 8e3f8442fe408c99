import { Optional } from "@marcbachmann/cel-js";
import { type Cause, duplicate, forbidden, invalid, required } from "../cause.ts";
import { type Correlation, sameItem } from "../correlation.ts";
import { child, entry } from "../field-path.ts";
import { isObject, type Rule } from "../schema.ts";
import type { Expression } from "./expression.ts";
import { CelFailure } from "./failure.ts";
import type { RuleTree } from "./rule-tree.ts";
import type { CompiledRule } from "./rules.ts";

/** A value, what it was before, and whether it counts as unchanged. */
export interface Subject {
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly ratchet: Ratchet;
}

/** The value beside its old one; where it cannot be told which that was, the nearest value around it that can. */
export interface Ratchet {
  readonly current?: Correlation | undefined;
  readonly parent?: Correlation | undefined;
}

/** What the rules of a schema say against a value. */
export function validateRules(tree: RuleTree, subject: Subject): Cause[] {
  const { path, value, old, ratchet } = subject;
  if (value === null || value === undefined) return [];
  const causes = evaluateAll(tree, subject);
  if (Array.isArray(value)) {
    const { items } = tree;
    if (!items) return causes;
    const inside = value.flatMap((item: unknown, i) =>
      validateRules(items, {
        path: entry(path, i),
        value: item,
        old: sameItem(tree.schema, old, item),
        ratchet: within(ratchet, (known) => known.item(i)),
      }),
    );
    return [...causes, ...inside];
  }
  return isObject(value) ? [...causes, ...insideObject(tree, subject, value)] : causes;
}

function insideObject(tree: RuleTree, { path, old, ratchet }: Subject, value: Record<string, unknown>): Cause[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const property = tree.properties.get(name);
    const below = property ?? tree.values;
    if (!below) return [];
    const isTypeMeta = !ratchet.parent && (name === "apiVersion" || name === "kind");
    return validateRules(below, {
      path: property ? child(path, name) : entry(path, name),
      value: field,
      old: isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined,
      ratchet: isTypeMeta ? {} : within(ratchet, (known) => known.field(name)),
    });
  });
}

function within({ current, parent }: Ratchet, step: (known: Correlation) => Correlation | undefined): Ratchet {
  return current ? { current: step(current), parent: current } : { parent };
}

function evaluateAll({ rules, type, schema }: RuleTree, subject: Subject): Cause[] {
  if (rules.length === 0) return [];
  const hasOld = subject.old !== undefined && subject.old !== null;
  const self = type.convert(subject.value);
  const oldSelf = hasOld && rules.some(({ usesOldSelf }) => usesOldSelf) ? type.convert(subject.old) : undefined;
  const isForgiven = () => (subject.ratchet.current ?? subject.ratchet.parent)?.isUnchanged ?? false;
  return rules.flatMap((rule) => {
    if (rule.usesOldSelf && !hasOld && !rule.source.optionalOldSelf) return [];
    const old = rule.source.optionalOldSelf ? (hasOld ? Optional.of(oldSelf) : Optional.none()) : oldSelf;
    const failure = failureOf(rule, { self, oldSelf: old }, subject.path, schema.type ?? "");
    return failure && (failure.isError || rule.usesOldSelf || !isForgiven()) ? [failure.cause] : [];
  });
}

interface Failure {
  readonly cause: Cause;
  /** The rule could not be judged at all: that is never forgiven. */
  readonly isError: boolean;
}

type Variables = Readonly<Record<string, unknown>>;

function failureOf(rule: CompiledRule, variables: Variables, path: string, type: string): Failure | undefined {
  const { expression, error, source } = rule;
  if (!expression) return { cause: invalid(path, type, `rule compile error: ${error}`), isError: true };
  try {
    if (expression.evaluate(variables) === true) return undefined;
  } catch (failure) {
    if (!(failure instanceof CelFailure)) throw failure;
    return { cause: invalid(path, type, evaluationError(failure.message, source)), isError: true };
  }
  const detail = messageOf(rule.message, variables) ?? (source.message?.trim() || `failed rule: ${source.rule.trim()}`);
  const field = rule.fieldPath ? child(path, rule.fieldPath) : path;
  return { cause: causeFor(source.reason, field, type, detail), isError: false };
}

function evaluationError(message: string, { rule, message: said }: Rule): string {
  const name = said?.trim() || rule.trim();
  if (!message.startsWith("no such overload")) return `${message} evaluating rule: ${name}`;
  return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`;
}

const MAX_MESSAGE_BYTES = 5 * 1024;

// A message that cannot be made, or is none, gives way to the fixed one.
function messageOf(expression: Expression | undefined, variables: Variables): string | undefined {
  try {
    const message = String(expression?.evaluate(variables) ?? "").trim();
    const isUsable = message !== "" && !message.includes("\n") && Buffer.byteLength(message) <= MAX_MESSAGE_BYTES;
    return isUsable ? message : undefined;
  } catch (error) {
    if (error instanceof CelFailure) return undefined;
    throw error;
  }
}

function causeFor(reason: string | undefined, field: string, type: string, detail: string): Cause {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return duplicate(field, type);
    default:
      return invalid(field, type, detail);
  }
}
