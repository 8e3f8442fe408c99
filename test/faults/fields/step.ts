import type { FieldValue } from "./field-value.ts";

/** Something else that a user got wrong at the same time. */
export interface Trouble {
  readonly name: string;
  readonly path: string;
  readonly value: unknown;
  /** What a condition says of it. */
  readonly says: RegExp;
}

/** One edit of the object. */
export type Step =
  | { readonly kind: "set"; readonly value: FieldValue }
  /** The property as it was. */
  | { readonly kind: "back" }
  | { readonly kind: "break"; readonly trouble: Trouble }
  | { readonly kind: "mend" };

/**
 * From what runs through every value that works, and back; to every other value, and back from those that are taken.
 */
export function stepsOnRunning(values: readonly FieldValue[]): readonly Step[] {
  const those = (fate: FieldValue["fate"]) => values.filter((value) => value.fate === fate && !value.isForGood);
  const set = (value: FieldValue): Step => ({ kind: "set", value });
  const back: Step = { kind: "back" };
  const good = those("works").map(set);
  return [
    ...those("refused").map(set),
    ...(good.length > 0 ? [...good, back] : []),
    ...those("reported").flatMap((value) => [set(value), back]),
    // Last, for nothing is as before any more.
    ...values.filter(({ isForGood }) => isForGood).flatMap((value) => [set(value), back]),
  ];
}

/**
 * From inside an error: a good value is taken, and a bad one is not, while another field keeps the last change from its
 * end; and of two errors one is corrected after the other.
 */
export function stepsInTrouble(values: readonly FieldValue[], trouble: Trouble): readonly Step[] {
  const set = (value: FieldValue | undefined): readonly Step[] => (value ? [{ kind: "set", value }] : []);
  const first = (fate: FieldValue["fate"]) => values.find((value) => value.fate === fate && !value.isForGood);
  const [good, bad] = [first("works"), first("reported")];
  const back: Step = { kind: "back" };
  const [broken, mended]: [Step, Step] = [{ kind: "break", trouble }, { kind: "mend" }];
  return [
    ...[broken, ...set(first("refused")), ...set(good), mended, ...(good ? [back] : [])],
    ...(bad ? [...set(bad), broken, back, mended] : []),
  ];
}

/** As long as something else is wrong, a restore is tried again with every edit; once it has succeeded, it is over. */
export function stepsUntilRestored(values: readonly FieldValue[]): readonly Step[] {
  const set = (value: FieldValue | undefined): readonly Step[] => (value ? [{ kind: "set", value }] : []);
  const first = (fate: FieldValue["fate"]) => values.find((value) => value.fate === fate);
  const bad = first("reported");
  return [
    ...set(first("refused")),
    ...(bad ? [...set(bad), { kind: "back" } as const] : []),
    ...set(first("works")),
    { kind: "mend" },
  ];
}

/** Whether two paths are the same, or one lies within the other. */
export function overlaps(one: string, other: string): boolean {
  const isWithin = (inner: string, outer: string) => inner === outer || /^[.[{]/.test(inner.slice(outer.length));
  return (one.startsWith(other) && isWithin(one, other)) || (other.startsWith(one) && isWithin(other, one));
}
