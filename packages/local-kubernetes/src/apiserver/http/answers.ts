import { ApiError, plainError } from "../api-error.ts";
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
  if (view.representation === "PartialObjectMetadata") return partialMetadata(object);
  if (view.representation !== "Table" && resource.isCustom) throw plainError("content is not a list");
  if (view.representation !== "Table") throw wrongShape(view, `is not a list (*${goNameOf(resource)})`);
  const { resourceVersion } = object.metadata;
  return tableOf({ resource, objects: [object], metadata: { resourceVersion }, include, now, withColumns });
}

/** A list: as objects its bytes are strung together unread. */
export function listAnswer(view: View, listed: Listed): Buffer {
  const { resource, representation, include, now } = view;
  const isWhole = representation === "object" || representation === "discovery";
  const metadata = {
    // Lists of custom resources have the field in any case.
    ...(listed.continue || (resource.isCustom && isWhole) ? { continue: listed.continue ?? "" } : {}),
    resourceVersion: String(listed.revision),
    ...(listed.remaining !== undefined && { remainingItemCount: listed.remaining }),
  };
  if (isWhole) return rawList(resource, listed.entries, metadata);
  const objects = listed.entries.map((entry) => resource.codec.read(entry));
  if (representation === "Table")
    return json(tableOf({ resource, objects, metadata, include, now, withColumns: true }));
  if (representation === "PartialObjectMetadata") {
    throw wrongShape(view, `is a list (*${goNameOf(resource)}List)`);
  }
  const items = objects.length === 0 ? null : objects.map(partialMetadata);
  return json({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items });
}

function wrongShape({ representation }: View, why: string): ApiError {
  return new ApiError(406, "NotAcceptable", `you requested ${representation}, but the requested object ${why}`);
}

function goNameOf({ group, kind, isCustom }: Resource): string {
  if (isCustom) return "unstructured.Unstructured";
  return `${group === "" ? "core" : group.split(".")[0]}.${kind}`;
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
