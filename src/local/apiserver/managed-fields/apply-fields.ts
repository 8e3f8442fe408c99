import { isObject, type JsonObject, type KubeObject, sameJson } from "../kube-object.ts";
import { fieldsOf } from "./applied-fields.ts";
import { compare } from "./compare.ts";
import { type Conflict, conflictError } from "./conflicts.ts";
import { difference, type FieldSet, intersection, isEmpty, NOTHING, paths, union } from "./field-set.ts";
import { allowedByLastApplied, withLastApplied } from "./last-applied.ts";
import { type Managed, type ManagerInfo, managerId, readManagers, writeManagers } from "./managers.ts";
import { mergeValues } from "./merge-values.ts";
import { removeFields, withStructs } from "./remove-fields.ts";
import type { MapShape } from "./shape.ts";
import { METADATA, trackedFields, withoutMetadataItself } from "./track-update.ts";

export interface Application {
  readonly shape: MapShape;
  readonly live: KubeObject;
  /** What the client sent. */
  readonly applied: JsonObject;
  readonly who: ManagerInfo & { readonly operation: "Apply" };
  readonly isForced: boolean;
  /** Leaves what this path does not write, such as the status. */
  readonly ofPath: (fields: FieldSet) => FieldSet;
  /** As objects have it; absent where no time is kept, as of a scale. */
  readonly now?: string;
}

export interface Applied {
  /** Merged, not yet defaulted. */
  readonly object: JsonObject;
  readonly managedFields: readonly unknown[] | undefined;
}

/** Lays an applied object over the one that is there; throws what the client is told when it may not. */
export function applyFields(application: Application): Applied {
  const { live, who, isForced } = application;
  const managers = managersOf(application);
  const result = attempt(application, managers, isForced);
  const isKubectl = who.manager === "kubectl";
  if (!("conflicts" in result)) return isKubectl ? withLastApplied(result, application.applied) : result;
  const allowed = isKubectl ? allowedByLastApplied(application.shape, live) : undefined;
  const open = allowed ? result.conflicts.filter(({ path }) => !hasPath(allowed, path)) : result.conflicts;
  if (open.length > 0) throw conflictError(open);
  // What kubectl wrote by client-side apply is its own.
  const forced = attempt(application, managers, true);
  if ("conflicts" in forced) throw conflictError(forced.conflicts);
  return withLastApplied(forced, application.applied);
}

/** Objects that nobody kept track of belong to whoever was there before the first to apply. */
function managersOf({ shape, live, who, ofPath, now }: Application): ReadonlyMap<string, Managed> {
  const known = readManagers(live.metadata.managedFields);
  if (known && known.size > 0) return known;
  const { managedFields: _, ...metadata } = live.metadata;
  const before = { ...who, manager: "before-first-apply", operation: "Update" } as const;
  const object = { ...live, metadata };
  return readManagers(trackedFields({ shape, object, who: before, ofPath, ...(now && { now }) })) ?? new Map();
}

function attempt(
  application: Application,
  known: ReadonlyMap<string, Managed>,
  isForced: boolean,
): Applied | { readonly conflicts: readonly Conflict[] } {
  const { shape, live, applied, who, ofPath, now } = application;
  const managers = new Map(known);
  const id = managerId(who);
  const last = managers.get(id);
  const fields = withoutMetadataItself(ofPath(fieldsOf(shape, applied)));
  const merged = mergeValues(shape, live, applied);
  managers.set(id, { ...who, fields, ...(last?.time && { time: last.time }) });
  const object = asObject(last ? pruned(shape, merged, last.fields, managers) : merged);
  const found = compare(shape, live, object);
  const changed = ofPath(union(found?.added ?? NOTHING, found?.modified ?? NOTHING));
  const others = [...managers].filter(([other]) => other !== id);
  const contested = others
    .map(([other, managed]) => ({ id: other, managed, fields: intersection(managed.fields, changed) }))
    .filter((conflict) => !isEmpty(conflict.fields));
  if (contested.length > 0 && !isForced) {
    return { conflicts: contested.flatMap(({ managed, fields }) => paths(fields).map((path) => ({ managed, path }))) };
  }
  const lost = union(changed, ofPath(found?.removed ?? NOTHING));
  for (const [other, managed] of others) managers.set(other, { ...managed, fields: difference(managed.fields, lost) });
  if (!sameJson(live, object)) managers.set(id, { ...who, fields, ...(now !== undefined && { time: now }) });
  return { object, managedFields: writeManagers(managers) };
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Without what this manager applied before and no longer does, unless somebody else has it. */
function pruned(shape: MapShape, merged: unknown, last: FieldSet, managers: ReadonlyMap<string, Managed>): unknown {
  const before = withStructs(last, shape);
  const all = withStructs(fieldsOf(shape, asObject(merged)), shape);
  let kept = removeFields(shape, merged, before);
  const owned = [...managers.values()].reduce((sum, { fields }) => union(sum, fields), NOTHING);
  // Every object has metadata, if only for its name.
  const stays = (value: unknown) => union(withStructs(fieldsOf(shape, asObject(value)), shape), METADATA);
  kept = removeFields(shape, merged, difference(all, union(stays(kept), withStructs(owned, shape))));
  // Only what this manager had may go.
  return removeFields(shape, merged, intersection(difference(all, stays(kept)), before));
}

function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let field: FieldSet | undefined = set;
  for (const element of path) field = field?.[element];
  return field !== undefined && ("." in field || isEmpty(field));
}
