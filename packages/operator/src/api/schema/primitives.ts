import * as z from "zod";
import { matching, withRules } from "./rule.ts";

/** An integer of at least `min`; Kubernetes stores it as int32 or, for bytes and revisions, int64. */
export function int32(min: number, max = 2 ** 31 - 1) {
  return z.int().min(min).max(max).meta({ format: "int32" });
}

export function int64(min: number, max?: number) {
  const number = z.int().min(min);
  return (max === undefined ? number : number.max(max)).meta({ format: "int64" });
}

/** A duration in whole units; zero means none, less is refused. */
export function duration() {
  return int32(0);
}

export function timestamp() {
  return z.string().meta({ format: "date-time" });
}

/** The name of an object such as a Secret, a claim or a ServiceAccount. */
export function objectName() {
  return withRules(z.string().max(253), [
    matching(
      "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$",
      "'{}' is not a valid object name: use lower-case letters, digits, '-' and '.', without spaces",
    ),
  ]);
}

export function intOrString() {
  return z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true });
}

/**
 * A field of Kubernetes itself that we hand on as it is. Only the keys we read are spelt out; all others are kept, also
 * those of a Kubernetes newer than this operator. The type parameter is the shape Kubernetes documents.
 */
export function passThrough<T extends object>(known: z.ZodRawShape = {}) {
  return z.looseObject(known) as unknown as z.ZodType<T, T>;
}
