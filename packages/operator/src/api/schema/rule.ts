import type * as z from "zod";

/**
 * A condition that a value must meet, written twice: in CEL, for the API server to refuse a bad object at admission,
 * and in TypeScript, for the operator to judge objects that were stored before the rule existed. The admission cases in
 * test/admission hold both to the same results.
 */
export interface Rule<T> {
  readonly holds: (value: T) => boolean;
  readonly cel: string;
  /** What is wrong and what to do about it; `{}` is replaced by the offending value. */
  readonly message: string;
  readonly offender?: Offender<T>;
  /** The field inside the value that a refusal names, such as `.spec.size`; the value itself where there is none. */
  readonly fieldPath?: string;
}

/**
 * A condition on a change: the old value decides what the new one may be. Only in CEL, because only the API server sees
 * both: the operator sees just the current object, and never takes an unsafe step, whatever the object was before.
 */
export interface ChangeRule {
  readonly cel: string;
  readonly message: string;
  readonly offender?: Pick<Offender<unknown>, "cel">;
  readonly fieldPath?: string;
}

interface Offender<T> {
  readonly of: (value: T) => string;
  readonly cel: string;
}

/**
 * Attaches rules to a schema: they run when it parses, and appear in the CRD made from it. A rule is also judged where
 * a field is of the wrong type or missing, as long as it does not read that field, so that all problems of an object
 * are found at once.
 */
export function withRules<S extends z.ZodType>(
  schema: S,
  rules: readonly Rule<z.output<S>>[],
  changeRules: readonly ChangeRule[] = [],
): S {
  const judgeRules = (value: z.output<S>, context: z.core.$RefinementCtx) => {
    const malformed = context.issues.filter((issue) => issue.continue !== true).map(({ path = [] }) => path);
    for (const rule of rules) {
      const message = complaint(rule, value, malformed);
      if (message === undefined) continue;
      const path = rule.fieldPath?.split(".").slice(1) ?? [];
      context.addIssue({ code: "custom", message, input: value, path });
    }
  };
  const checked = schema.superRefine(judgeRules, { when: () => true });
  return checked.meta({ "x-kubernetes-validations": [...rules, ...changeRules].map(validation) });
}

/** The problem of a value; undefined where the rule holds, or reads a malformed field. */
function complaint<T>(rule: Rule<T>, value: T, malformed: readonly Path[]): string | undefined {
  if (malformed.length === 0) return rule.holds(value) ? undefined : messageOf(rule, value);
  if (malformed.some((path) => path.length === 0)) return undefined;
  let readsMalformed = false;
  const guarded = guardedAt(value, malformed, () => {
    readsMalformed = true;
  });
  try {
    const message = rule.holds(guarded) ? undefined : messageOf(rule, guarded);
    return readsMalformed ? undefined : message;
  } catch {
    // Rules rely on the types of what they read.
    return undefined;
  }
}

type Path = readonly PropertyKey[];

/** The same value, which reports when one of these paths is read. */
function guardedAt<T>(value: T, paths: readonly Path[], onRead: () => void): T {
  if (typeof value !== "object" || value === null) return value;
  const below = (key: PropertyKey) => paths.filter(([first]) => String(first) === String(key));
  const follow = (key: PropertyKey, found: unknown) => {
    const rest = below(key).map(([, ...deeper]) => deeper);
    if (rest.some((path) => path.length === 0)) onRead();
    return rest.length === 0 ? found : guardedAt(found, rest, onRead);
  };
  return new Proxy(value, {
    get: (target, key) => follow(key, Reflect.get(target, key)),
    has: (target, key) => {
      follow(key, undefined);
      return Reflect.has(target, key);
    },
    ownKeys: (target) => {
      if (paths.some((path) => path.length === 1)) onRead();
      return Reflect.ownKeys(target);
    },
  });
}

/**
 * The text is its own offender: the API server names the field of a broken rule, never its value. Line breaks are
 * escaped, because it refuses a message that has one.
 */
export const ITSELF = {
  of: (text: string) => text.replaceAll("\n", String.raw`\n`),
  cel: String.raw`self.replace('\n', '\\n')`,
};

/** A rule that a text matches a regular expression, which must mean the same in JavaScript and in CEL's RE2. */
export function matching(pattern: string, message: string): Rule<string> {
  const expression = new RegExp(pattern);
  return { holds: (text) => expression.test(text), cel: `self.matches(r'${pattern}')`, message, offender: ITSELF };
}

/** A rule that a text does not match a regular expression. */
export function refusing(pattern: string, message: string): Rule<string> {
  const { holds, ...rule } = matching(pattern, message);
  return { ...rule, holds: (text) => !holds(text), cel: `!${rule.cel}` };
}

function messageOf<T>(rule: Pick<Rule<T>, "message" | "offender">, value: T): string {
  // As a function, because the user's text may hold patterns that replace() would interpret.
  return rule.offender ? rule.message.replace("{}", () => rule.offender?.of(value) ?? "") : rule.message;
}

function validation({ cel, message, offender, fieldPath }: ChangeRule) {
  const where = fieldPath === undefined ? {} : { fieldPath };
  if (!offender) return { rule: cel, message, ...where };
  const [before = "", after = ""] = message.split("{}");
  // The static message is used where the expression cannot be evaluated.
  return {
    rule: cel,
    message: message.replace("{}", "…"),
    messageExpression: `${quoted(before)} + ${offender.cel} + ${quoted(after)}`,
    ...where,
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
