import { withValue } from "../at-path.ts";
import { derivedValues } from "../derived-values.ts";
import type { Fate, FieldValue } from "../field-value.ts";
import type { Property } from "../property.ts";

/** What is known of a property beside its schema. */
export interface Entry {
  /** What the spec has before and afterwards beside what every one has, by path. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** What is set together with it, as it means nothing by itself. */
  readonly along?: Readonly<Record<string, unknown>>;
  /** The key of a map that its value stands under. */
  readonly mapKey?: string;
  /** What becomes of values that the schema alone would have otherwise. */
  readonly but?: Readonly<Record<string, Fate | { readonly says: RegExp } | "left-out">>;
  /** Values that only a person who knows the field can think of. */
  readonly also?: readonly FieldValue[];
}

export type Entries = Readonly<Record<string, Entry>>;

/** All that a property is set to: values written for it come first. */
export function valuesOf(property: Property, { but = {}, also = [] }: Entry): readonly FieldValue[] {
  const derived = derivedValues(property).flatMap((value) => {
    const fate = but[value.name];
    if (fate === undefined) return [value];
    if (fate === "left-out") return [];
    return [typeof fate === "string" ? { ...value, fate } : { ...value, fate: "reported" as const, says: fate.says }];
  });
  return [...also, ...derived];
}

/** The entry of a property; there has to be one. */
export function entryOf(entries: Entries, { kind, path }: Pick<Property, "kind" | "path">): Entry {
  const entry = entries[path];
  if (!entry) throw new Error(`no entry says what to set ${kind}.${path} to`);
  return entry;
}

/** A spec with more in it, by path. */
export function specWith(spec: object, more: Readonly<Record<string, unknown>> = {}): object {
  return Object.entries(more).reduce((whole, [path, value]) => withValue(whole, path, value), spec);
}
