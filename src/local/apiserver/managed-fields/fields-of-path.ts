import type { Resource } from "../kinds/resource.ts";
import { type FieldSet, recursiveDifference } from "./field-set.ts";

/** The part of a set that a request to this path writes; the rest is left as it was, and so is whose it is. */
export function fieldsOfPath(
  { kind, isCustom, hasStatus }: Resource,
  subresource: string | undefined,
): (fields: FieldSet) => FieldSet {
  if (subresource === "status") {
    // Of custom kinds everything but the spec counts, also what is then not written, as in kube-apiserver.
    const kept = isCustom ? undefined : KEPT_BY_STATUS[kind];
    return (fields) => recursiveDifference(fields, { "f:spec": {}, ...kept });
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
