import { type JsonObject, type KubeObject, setKey } from "../kube-object.ts";
import type { Entry } from "./entry.ts";

/** Which version of which kind a reader wants to see. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * What is stored begins with apiVersion, kind and metadata, in this order, so that readers can be given another
 * apiVersion and the resourceVersion by writing a new beginning in front of the unchanged rest: nothing is parsed on
 * its way out.
 */
export function encodeStored(object: KubeObject): Buffer {
  const { apiVersion, kind, metadata } = object;
  const stored: KubeObject = { apiVersion, kind, metadata: { ...metadata } };
  for (const part in object) if (!Object.hasOwn(stored, part)) setKey(stored, part, object[part]);
  // What is undefined is not written.
  if (metadata.resourceVersion !== undefined) (stored.metadata as JsonObject).resourceVersion = undefined;
  if (metadata.selfLink !== undefined) stored.metadata.selfLink = undefined;
  return Buffer.from(JSON.stringify(stored), "utf8");
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The object as one answer or event. */
export function spliced(entry: Entry, gvk: GroupVersionKind, revision: bigint = entry.revision): Buffer {
  const head = `{"kind":"${gvk.kind}","apiVersion":"${apiVersionOf(gvk)}",${metadataWith(revision)}`;
  const rest = restOf(entry.value);
  // Names of kinds and groups are plain words.
  const whole = Buffer.allocUnsafe(head.length + rest.length);
  whole.write(head, "latin1");
  whole.set(rest, head.length);
  return whole;
}

/** The object as an item of a list, which tells the kind for all of them. */
export function splicedItem(entry: Entry): readonly Buffer[] {
  return [Buffer.from(`{${metadataWith(entry.revision)}`), restOf(entry.value)];
}

export function decodeStored(entry: Entry, gvk: GroupVersionKind, revision: bigint = entry.revision): KubeObject {
  const object = JSON.parse(entry.value.toString("utf8")) as KubeObject;
  object.apiVersion = apiVersionOf(gvk);
  object.kind = gvk.kind;
  object.metadata.resourceVersion = String(revision);
  return object;
}

const METADATA = '"metadata":{';

function metadataWith(revision: bigint): string {
  return `${METADATA}"resourceVersion":"${revision}",`;
}

const METADATA_BYTES = Buffer.from(METADATA);

function restOf(value: Buffer): Buffer {
  return value.subarray(value.indexOf(METADATA_BYTES) + METADATA.length);
}
