import { isObject, type JsonObject } from "../kube-object.ts";
import { type FieldSet, isEmpty, union } from "./field-set.ts";
import { inOrder } from "./path-element.ts";

/** Who wrote, how, and through which door. */
export interface ManagerInfo {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface Managed extends ManagerInfo {
  readonly fields: FieldSet;
  readonly time?: string;
  /** What it was read from, as long as nothing of it changed. */
  readonly entry?: JsonObject;
}

export type Managers = ReadonlyMap<string, Managed>;

/** By what two entries are told to be the same manager's: who applies does so in whatever version. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagerInfo): string {
  const version = operation === "Apply" ? undefined : apiVersion;
  return JSON.stringify({ manager: manager || undefined, operation, apiVersion: version, subresource });
}

/** Undefined: this is not what a server could have written. */
export function readManagers(entries: unknown): Managers | undefined {
  if (!Array.isArray(entries)) return undefined;
  const managers = new Map<string, Managed>();
  for (const entry of entries) {
    const managed = readEntry(entry);
    if (!managed) return undefined;
    managers.set(managerId(managed), managed);
  }
  return managers;
}

function readEntry(entry: unknown): Managed | undefined {
  if (!isObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (typeof apiVersion !== "string" || apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
  return {
    manager: typeof manager === "string" ? manager : "",
    operation,
    apiVersion,
    ...(typeof subresource === "string" && subresource !== "" && { subresource }),
    ...(typeof time === "string" && { time }),
    fields: isObject(fieldsV1) ? (fieldsV1 as FieldSet) : {},
    entry,
  };
}

/** As they stand in the object; undefined: nobody manages anything. */
export function writeManagers(managers: Managers): JsonObject[] | undefined {
  const kept = [...managers.values()].filter(({ fields }) => !isEmpty(fields));
  return kept.length === 0 ? undefined : kept.sort(compareManaged).map(writeEntry);
}

function writeEntry({ manager, operation, apiVersion, subresource, time, fields, entry }: Managed): JsonObject {
  if (entry && entry.fieldsV1 === fields && entry.time === time) return entry;
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    // What was stored is in order already.
    fieldsV1: entry?.fieldsV1 === fields ? fields : inOrder(fields),
    ...(subresource && { subresource }),
  };
}

function compareManaged(one: Managed, other: Managed): number {
  return (
    compareText(one.operation, other.operation) ||
    compareText(one.time ?? "", other.time ?? "") ||
    compareText(one.manager, other.manager) ||
    compareText(one.apiVersion, other.apiVersion) ||
    compareText(one.subresource ?? "", other.subresource ?? "")
  );
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

// As many as kube-apiserver keeps apart.
const MAX_UPDATERS = 10;

/** Puts the oldest of too many updaters together, so that an object does not grow with everybody who ever touched it. */
export function capUpdaters(managers: Map<string, Managed>): void {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  if (updaters.length <= MAX_UPDATERS) return;
  updaters.sort(
    ([id, one], [otherId, other]) => compareText(one.time ?? "", other.time ?? "") || compareText(id, otherId),
  );
  const firsts = new Map<string, string>();
  let count = updaters.length;
  for (const [id, managed] of updaters) {
    if (count <= MAX_UPDATERS) return;
    const { apiVersion } = managed;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, id);
      continue;
    }
    const info = { manager: "ancient-changes", operation: "Update", apiVersion } as const;
    const bucket = managerId(info);
    const gathered = managers.get(bucket) ?? managers.get(first);
    if (!managers.has(bucket)) managers.delete(first);
    managers.delete(id);
    const fields = union(managed.fields, gathered?.fields ?? {});
    managers.set(bucket, { ...info, fields, ...(managed.time && { time: managed.time }) });
    count--;
  }
}
