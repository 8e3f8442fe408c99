import type { KubeObject } from "../kube-object.ts";
import type { Entry } from "./entry.ts";

/** Which version of which kind a reader wants to see. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * What is stored begins with apiVersion, kind and metadata, in this order, so that readers can be given another apiVersion
 * and the resourceVersion by writing a new beginning in front of the unchanged rest: nothing is parsed on its way out.
 */
export function encodeStored({ apiVersion, kind, metadata, ...rest }: KubeObject): Buffer {
  const { resourceVersion: _, selfLink: __, ...kept } = metadata;
  return Buffer.from(JSON.stringify({ apiVersion, kind, metadata: kept, ...rest }), "utf8");
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The object as one answer or event. */
export function spliced(entry: Entry, gvk: GroupVersionKind, revision: bigint = entry.revision): Buffer {
  const head = `{"kind":${JSON.stringify(gvk.kind)},"apiVersion":"${apiVersionOf(gvk)}",${metadataWith(revision)}`;
  return Buffer.concat([Buffer.from(head), restOf(entry.value)]);
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

function restOf(value: Buffer): Buffer {
  return value.subarray(value.indexOf(METADATA) + METADATA.length);
}
