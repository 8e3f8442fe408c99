import { type Cause, invalid } from "../../../crd/cause.ts";
import type { JsonObject } from "../../../kube-object.ts";

/** What is wrong with the fields of an object that may not be below zero. */
export function negativeCauses(object: JsonObject, path: string, fields: readonly string[]): Cause[] {
  return fields.flatMap((field) => {
    const value = object[field];
    const isNegative = typeof value === "number" && value < 0;
    return isNegative ? [invalid(`${path}.${field}`, value, "must be greater than or equal to 0")] : [];
  });
}
