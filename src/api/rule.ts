import type * as z from "zod";

/**
 * A condition that a value must meet, said twice: in CEL, for the API server to refuse a bad object at admission, and in
 * TypeScript, for the operator to judge objects that were stored before the rule existed. The admission cases in
 * test/admission hold both to the same answers.
 */
export interface Rule<T> {
  readonly holds: (value: T) => boolean;
  readonly cel: string;
  /** What is wrong and what to do about it; `{}` stands for the offender. */
  readonly message: string;
  readonly offender?: Offender<T>;
  /** The field inside the value that a refusal names, such as `.spec.size`; the value itself where there is none. */
  readonly fieldPath?: string;
}

/** A condition on a change: what the old value was decides what the new one may be. */
export interface ChangeRule<T> {
  readonly holds: (next: T, previous: T) => boolean;
  readonly cel: string;
  readonly message: string;
  readonly offender?: Offender<T>;
  /** The field inside the value that a refusal names, such as `.spec.size`; the value itself where there is none. */
  readonly fieldPath?: string;
}

interface Offender<T> {
  readonly of: (value: T) => string;
  readonly cel: string;
}

/** Attaches rules to a schema: they run when it parses, and appear in the CRD made from it. */
export function withRules<S extends z.ZodType>(
  schema: S,
  rules: readonly Rule<z.output<S>>[],
  changeRules: readonly ChangeRule<z.output<S>>[] = [],
): S {
  const checked = schema.superRefine((value, context) => {
    for (const rule of rules) {
      if (rule.holds(value)) continue;
      const path = rule.fieldPath?.split(".").slice(1) ?? [];
      context.addIssue({ code: "custom", message: messageOf(rule, value), input: value, path });
    }
  });
  return checked.meta({ "x-kubernetes-validations": [...rules, ...changeRules].map(validation) });
}

/**
 * A text that is its own offender: the API server names the field of a broken rule, never its value. Line breaks are written out, as it takes no
 * message that has one.
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

export function messageOf<T>(rule: Pick<Rule<T>, "message" | "offender">, value: T): string {
  // As a function, for the text of a user may hold what replace() gives a meaning to.
  return rule.offender ? rule.message.replace("{}", () => rule.offender?.of(value) ?? "") : rule.message;
}

function validation<T>({ cel, message, offender, fieldPath }: Omit<ChangeRule<T>, "holds">) {
  const where = fieldPath === undefined ? {} : { fieldPath };
  if (!offender) return { rule: cel, message, ...where };
  const [before = "", after = ""] = message.split("{}");
  // The static message stands in where the expression cannot be evaluated.
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
