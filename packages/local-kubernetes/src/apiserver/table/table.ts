import type { Resource } from "../kinds/resource.ts";
import type { JsonObject, KubeObject } from "../kube-object.ts";

export type IncludeObject = "Metadata" | "None" | "Object";

export interface TableRequest {
  readonly resource: Resource;
  readonly objects: readonly KubeObject[];
  readonly metadata: object;
  /** How much of each object goes along with its row. */
  readonly include: IncludeObject;
  readonly now: Date;
  readonly withColumns: boolean;
}

/** Objects as kubectl prints them. */
export function tableOf({ resource, objects, metadata, include, now, withColumns }: TableRequest): JsonObject {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: withColumns ? columnDefinitions(resource) : null,
    rows: objects.map((object) => ({
      cells: resource.columns.map((column) => column.cell(object, now) ?? null),
      object: included(object, include),
    })),
  };
}

function columnDefinitions({ columns }: Resource): JsonObject[] {
  return columns.map(({ name, type, format = "", description = "", priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

function included(object: KubeObject, include: IncludeObject): KubeObject | null {
  if (include === "None") return null;
  return include === "Object" ? object : partialMetadata(object);
}

export function partialMetadata({ metadata }: KubeObject): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}
