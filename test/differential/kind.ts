import type { Draw } from "./draw.ts";
import type { Json } from "./request.ts";
import { mistyped, spoiled } from "./spoil.ts";

/** What stories need to know about a kind. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly isCustom: boolean;
  readonly subresources: readonly string[];
  /** Whether it holds a pod, whose validation in full is more than the local server has: only types are spoiled. */
  readonly isDeep?: boolean;
  /** All of an object but its apiVersion, kind and metadata; the server should take it. */
  good(draw: Draw): Json;
}

/** Of its objects, or of one of them. */
export function pathOf(kind: Kind, name?: string, subresource?: string): string {
  const base = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const place = kind.isNamespaced ? `${base}/namespaces/@{ns}` : base;
  return [place, kind.plural, name, subresource].filter((part) => part !== undefined).join("/");
}

/** Objects without a namespace carry that of their story in their names. */
export function nameOf(kind: Kind, name: string): string {
  return kind.isNamespaced ? name : `@{ns}-${name}`;
}

export function objectOf(kind: Kind, name: string, rest: Json, metadata: Json = {}): Json {
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  // Found again in lists over all namespaces, which hold what other stories made.
  const labels = { story: "@{ns}", ...(metadata.labels as Json | undefined) };
  return { apiVersion, kind: kind.kind, metadata: { name: nameOf(kind, name), ...metadata, labels }, ...rest };
}

/** Fields of an object of the kind, with something wrong in them. */
export function spoiledFields(kind: Kind, draw: Draw): Json {
  const good = kind.good(draw);
  return (kind.isDeep ? mistyped(draw, good) : spoiled(draw, good)) as Json;
}
