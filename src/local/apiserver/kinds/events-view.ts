import type { JsonObject, KubeObject } from "../kube-object.ts";
import { prefixOf } from "../storage/entry.ts";
import { decodeStored, encodeStored } from "../storage/stored-json.ts";
import type { Column } from "../table/column.ts";
import { builtins } from "./builtin.ts";
import { decodeAs } from "./decode.ts";
import type { Codec, Resource } from "./resource.ts";

// What the core group calls a field, and what events.k8s.io calls it.
const NAMES = {
  message: "note",
  involvedObject: "regarding",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount",
} as const;

const GVK = { group: "events.k8s.io", version: "v1", kind: "Event" };

const fromCore = new Map<string, string>(Object.entries(NAMES));
const toCore = new Map<string, string>(Object.entries(NAMES).map(([core, other]) => [other, core]));

/** The Events of the core group under the names that events.k8s.io has for their fields: one store, two views. */
export function eventsView(columns: readonly Column[]): Resource[] {
  return builtins(GVK.group, GVK.version, [
    { kind: "Event", short: ["ev"], createsOnUpdate: true, columns: columns.map(overCore) },
  ]).map((resource) => ({ ...resource, prefix: prefixOf("", "events"), codec }));
}

const codec: Codec = {
  typeName: "EventsEvent",
  decode: (body) => decodeAs("EventsEvent", body, GVK.version),
  encode: (object) => encodeStored({ ...(renamed(object, toCore) as KubeObject), apiVersion: "v1" }),
  read: (entry, revision) => renamed(decodeStored(entry, GVK, revision), fromCore) as KubeObject,
  write: (entry, revision) => Buffer.from(JSON.stringify(codec.read(entry, revision)), "utf8"),
  writeItem: (entry) => [codec.write(entry)],
};

function overCore(column: Column): Column {
  return { ...column, cell: (object, now) => column.cell(renamed(object, toCore) as KubeObject, now) };
}

function renamed(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]));
}
