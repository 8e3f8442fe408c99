import type { Resource } from "../kinds/resource.ts";
import type { KubeObject } from "../kube-object.ts";
import type { Entry } from "../storage/entry.ts";

/** What a write led to: a stored object, or what would have been stored. */
export type Written =
  | { readonly kind: "stored"; readonly entry: Entry }
  | { readonly kind: "dry-run"; readonly object: KubeObject };

export function served(entry: Entry): Written {
  return { kind: "stored", entry };
}

/** What would have been stored. */
export function tried({ codec }: Resource, object: KubeObject): Written {
  return { kind: "dry-run", object: codec.asStored?.(object) ?? object };
}

export function objectOf(resource: Resource, written: Written): KubeObject {
  return written.kind === "stored" ? resource.codec.read(written.entry) : written.object;
}

export function bytesOf(resource: Resource, written: Written): Buffer {
  return written.kind === "stored"
    ? resource.codec.write(written.entry)
    : Buffer.from(JSON.stringify(written.object), "utf8");
}
