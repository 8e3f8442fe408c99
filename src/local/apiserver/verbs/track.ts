import type { Resource } from "../kinds/resource.ts";
import { isObject, type KubeObject, sameJson, valueIn } from "../kube-object.ts";
import { fieldsOfPath } from "../managed-fields/fields-of-path.ts";
import { trackedFields } from "../managed-fields/track-update.ts";
import { timestamp } from "../meta/timestamp.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import type { WriteOptions } from "./write-options.ts";

export interface Tracking {
  readonly resource: Resource;
  readonly options: WriteOptions;
  readonly now: Date;
  /** Absent when the object is new. */
  readonly old?: KubeObject;
  readonly subresource?: string;
}

/** Writes down whose the fields are after this request, changing the object. */
export function track(object: KubeObject, { resource, options, now, old, subresource }: Tracking): void {
  // A Scale whose replicas are nobody's is like an object that nobody keeps track of.
  if (options.scalesOnly && old && !isReplicasOwned(resource, old)) {
    setManagedFields(object, old.metadata.managedFields);
    return;
  }
  const through = options.scalesOnly ? "scale" : subresource;
  const seen = (whole: KubeObject) => (options.scalesOnly ? withoutZeroScale(resource, whole) : whole);
  const managedFields = trackedFields({
    shape: resource.codec.shape(),
    ...(old && { old: seen(old) }),
    object: seen(object),
    who: {
      manager: options.fieldManager ?? "kube-apiserver",
      operation: "Update",
      apiVersion: apiVersionOf(resource),
      ...(through && { subresource: through }),
    },
    ofPath: fieldsOfPath(resource, through),
    // A scale keeps no times.
    ...(!options.scalesOnly && { now: timestamp(now) }),
  });
  setManagedFields(object, managedFields);
}

function isReplicasOwned({ scale }: Resource, { metadata }: KubeObject): boolean {
  const path = (scale?.specReplicas ?? "").split(".").map((field) => `f:${field}`);
  return (metadata.managedFields ?? []).some((entry) => valueIn(entry, "fieldsV1", ...path) !== undefined);
}

/** A Scale does not show a zero, so that whoever scales to it has no field, and nobody else keeps it. */
function withoutZeroScale({ scale, isCustom }: Resource, object: KubeObject): KubeObject {
  const [part = "", field = ""] = scale?.specReplicas.split(".") ?? [];
  const inside = object[part];
  if (isCustom || !isObject(inside) || inside[field] !== 0) return object;
  const { [field]: _, ...rest } = inside;
  return { ...object, [part]: rest };
}

/** Last in the metadata, as everywhere. */
export function setManagedFields({ metadata }: KubeObject, managedFields: readonly unknown[] | undefined): void {
  delete metadata.managedFields;
  if (managedFields) metadata.managedFields = managedFields;
}

/** Whether a write would change nothing but when somebody last wrote. */
export function differsInTimesOnly(object: KubeObject, old: KubeObject): boolean {
  const { managedFields, ...metadata } = object.metadata;
  const { managedFields: before, ...oldMetadata } = old.metadata;
  if (!managedFields || managedFields.length !== before?.length) return false;
  for (const part of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (part !== "metadata" && !sameJson(object[part], old[part])) return false;
  }
  return sameJson(metadata, oldMetadata) && sameJson(managedFields.map(withoutTime), before.map(withoutTime));
}

function withoutTime(entry: unknown): unknown {
  return isObject(entry) ? { ...entry, time: undefined } : entry;
}
