import type { Resource } from "../kinds/resource.ts";
import { type FieldSet, NOTHING, recursiveDifference } from "./field-set.ts";

/** The part of a set that a request to this path writes; the rest is left as it was, and so is whose it is. */
export function fieldsOfPath(
  { kind, isCustom, hasStatus }: Resource,
  subresource: string | undefined,
): (fields: FieldSet) => FieldSet {
  if (subresource === "status") {
    if (isCustom) return (fields) => (fields["f:status"] ? { "f:status": fields["f:status"] } : NOTHING);
    return (fields) => recursiveDifference(fields, { "f:spec": {}, ...KEPT_BY_STATUS[kind] });
  }
  return subresource === undefined && hasStatus
    ? (fields) => recursiveDifference(fields, { "f:status": {} })
    : (fields) => fields;
}

// What else a write to the status leaves alone.
const KEPT_BY_STATUS: Readonly<Record<string, FieldSet>> = {
  Deployment: { "f:metadata": { "f:labels": {} } },
  Pod: { "f:metadata": { "f:deletionTimestamp": {}, "f:ownerReferences": {} } },
};
