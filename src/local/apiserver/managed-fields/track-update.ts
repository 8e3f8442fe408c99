import { isObject, type KubeObject, sameJson } from "../kube-object.ts";
import { compare, type Difference } from "./compare.ts";
import { difference, type FieldSet, isEmpty, NOTHING, union } from "./field-set.ts";
import {
  capUpdaters,
  type Managed,
  type ManagerInfo,
  type Managers,
  managerId,
  readManagers,
  writeManagers,
} from "./managers.ts";
import type { MapShape } from "./shape.ts";
import { TypeMismatch } from "./type-mismatch.ts";

export interface TrackedUpdate {
  readonly shape: MapShape;
  /** Absent when the object is new. */
  readonly old?: KubeObject;
  /** What the client wants, with the managedFields that it sent. */
  readonly object: KubeObject;
  readonly who: ManagerInfo;
  /** Leaves what this path does not write, such as the status. */
  readonly ofPath?: (fields: FieldSet) => FieldSet;
  /** As objects have it; absent where no time is kept, as of a scale. */
  readonly now?: string;
}

/** What metadata.managedFields is after a create, update or patch; undefined: none. */
export function trackedFields({ shape, old, object, who, ofPath, now }: TrackedUpdate): unknown[] | undefined {
  const before = managersBefore(old, object, who.subresource !== undefined);
  // Objects that nobody keeps track of stay so, until somebody applies.
  if (before.size === 0 && old) return undefined;
  const found = changes(shape, old, object);
  // What cannot be named cannot be kept track of: nothing is better than what is wrong.
  if (found === "unreadable") return undefined;
  const entries = old?.metadata.managedFields;
  if (!found)
    return sameJson(entries, object.metadata.managedFields) ? (entries as unknown[]) : rewritten(before, entries);
  const managers = new Map(before);
  const written = withoutMetadataItself(union(found.added ?? NOTHING, found.modified ?? NOTHING));
  const gained = ofPath ? ofPath(written) : written;
  const lost = ofPath && found.removed ? ofPath(found.removed) : (found.removed ?? NOTHING);
  const id = managerId(who);
  const mine = managers.get(id);
  release(managers, id, union(gained, lost));
  if (!isEmpty(gained)) {
    const fields = union(difference(mine?.fields ?? NOTHING, lost), gained);
    managers.set(id, { ...mine, ...who, fields, ...(now !== undefined && { time: now }) });
  } else if (mine) {
    managers.set(id, { ...mine, fields: difference(mine.fields, lost) });
  }
  capUpdaters(managers);
  return writeManagers(managers);
}

/** The managers as the request leaves them: clients may write them, and most send back what they read. */
function managersBefore(old: KubeObject | undefined, object: KubeObject, isSubresource: boolean): Managers {
  const sent = isSubresource ? undefined : object.metadata.managedFields;
  if (isReset(sent)) return new Map();
  const managers = readManagers(sent);
  if (managers && managers.size > 0) return managers;
  return readManagers(old?.metadata.managedFields) ?? new Map();
}

function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  return entries.length === 0 || (isObject(entries[0]) && isEmpty(entries[0] as FieldSet));
}

function changes(
  shape: MapShape,
  old: KubeObject | undefined,
  object: KubeObject,
): Difference | undefined | "unreadable" {
  try {
    return compare(shape, old ?? {}, object);
  } catch (error) {
    if (error instanceof TypeMismatch) return "unreadable";
    throw error;
  }
}

function rewritten(managers: Managers, entries: unknown): unknown[] | undefined {
  const made = writeManagers(managers);
  return sameJson(made, entries) ? (entries as unknown[]) : made;
}

/** Takes fields away from everybody else. */
function release(managers: Map<string, Managed>, except: string, fields: FieldSet): void {
  for (const [id, managed] of managers) {
    if (id === except) continue;
    const rest = difference(managed.fields, fields);
    if (isEmpty(rest)) managers.delete(id);
    else if (rest !== managed.fields) managers.set(id, { ...managed, fields: rest });
  }
}

/** Metadata itself is nobody's, whoever sets what is in it. */
export function withoutMetadataItself(fields: FieldSet): FieldSet {
  return difference(fields, METADATA);
}

export const METADATA: FieldSet = { "f:metadata": {} };
