import type { Resource } from "../kinds/resource.ts";
import type { KubeObject } from "../kube-object.ts";
import type { Entry } from "../storage/entry.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import { type IncludeObject, partialMetadata, tableOf } from "../table/table.ts";
import type { Listed } from "../verbs/list.ts";
import type { Representation } from "./accept.ts";

/** How one client wants objects to be shown. */
export interface View {
  readonly resource: Resource;
  readonly representation: Representation;
  readonly include: IncludeObject;
  readonly now: Date;
}

/** A single stored object. */
export function objectAnswer(view: View, entry: Entry, revision = entry.revision): Buffer {
  const { resource, representation } = view;
  if (representation === "object" || representation === "discovery") return resource.codec.write(entry, revision);
  return json(shown(view, resource.codec.read(entry, revision), true));
}

/** An object as one of the transformed representations. */
export function shown(view: View, object: KubeObject, withColumns: boolean): unknown {
  const { resource, include, now } = view;
  if (view.representation !== "Table") return partialMetadata(object);
  const { resourceVersion } = object.metadata;
  return tableOf({ resource, objects: [object], metadata: { resourceVersion }, include, now, withColumns });
}

/** A list: as objects its bytes are strung together unread. */
export function listAnswer(view: View, listed: Listed): Buffer {
  const { resource, representation, include, now } = view;
  const metadata = {
    resourceVersion: String(listed.revision),
    ...(listed.continue && { continue: listed.continue }),
    ...(listed.remaining !== undefined && { remainingItemCount: listed.remaining }),
  };
  if (representation === "object" || representation === "discovery") return rawList(resource, listed.entries, metadata);
  const objects = listed.entries.map((entry) => resource.codec.read(entry));
  if (representation === "Table")
    return json(tableOf({ resource, objects, metadata, include, now, withColumns: true }));
  const items = objects.map(partialMetadata);
  return json({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items });
}

const COMMA = Buffer.from(",");

function rawList(resource: Resource, entries: readonly Entry[], metadata: object): Buffer {
  const kind = JSON.stringify(resource.listKind);
  const head = `{"kind":${kind},"apiVersion":"${apiVersionOf(resource)}","metadata":${JSON.stringify(metadata)},"items":[`;
  const parts: Buffer[] = [Buffer.from(head)];
  for (const [index, entry] of entries.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(...resource.codec.writeItem(entry));
  }
  parts.push(Buffer.from("]}\n"));
  return Buffer.concat(parts);
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}
