import type { Resource } from "../kinds/resource.ts";
import { type Field, type FieldType, structOf } from "../kinds/type-table.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import { apiVersionOf } from "../storage/stored-json.ts";

/** The OpenAPI document of one built-in group and version, as far as kubectl apply, explain and diff look into it. */
export function builtinDocument(resources: readonly Resource[]): JsonObject {
  const schemas: Record<string, JsonObject> = {};
  for (const { codec, ...resource } of resources) {
    const { group, version, kind } = resource;
    const name = codec.typeName ?? kind;
    collect(name, schemas);
    schemas[name] = { ...schemas[name], "x-kubernetes-group-version-kind": [{ group, version, kind }] };
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.34.0+local" },
    paths: Object.fromEntries(resources.flatMap(pathsOf)),
    components: { schemas },
  };
}

function collect(name: string, schemas: Record<string, JsonObject>): void {
  if (schemas[name]) return;
  const fields = [...structOf(name).fields];
  const required = fields.filter(([, { isRequired }]) => isRequired).map(([field]) => field);
  schemas[name] = { type: "object" };
  const properties = Object.fromEntries(fields.map(([field, each]) => [field, fieldSchema(each, schemas)]));
  schemas[name] = { type: "object", properties, ...(required.length > 0 && { required }) };
}

function fieldSchema({ type }: Field, schemas: Record<string, JsonObject>): JsonObject {
  return schemaOf(type, schemas);
}

function schemaOf(type: FieldType, schemas: Record<string, JsonObject>): JsonObject {
  switch (type.kind) {
    case "struct":
      collect(type.name, schemas);
      return { allOf: [{ $ref: `#/components/schemas/${type.name}` }] };
    case "list":
      return { type: "array", items: schemaOf(type.of, schemas), ...mergeHints(type.merge) };
    case "map":
      return { type: "object", additionalProperties: schemaOf(type.of, schemas) };
    case "int":
      return { type: "integer", format: "int64" };
    case "bool":
      return { type: "boolean" };
    case "intOrString":
      return { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" };
    case "time":
    case "microTime":
      return { type: "string", format: "date-time" };
    case "any":
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    case "number":
      return { type: "number" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "string":
    case "quantity":
      return { type: "string" };
  }
}

function mergeHints(merge: Extract<FieldType, { kind: "list" }>["merge"]): JsonObject {
  if (merge === "replace") return {};
  const key = isObject(merge) ? { "x-kubernetes-patch-merge-key": merge.by } : {};
  return { "x-kubernetes-patch-strategy": "merge", ...key };
}

const WRITE_PARAMETERS = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({
  name,
  in: "query",
  schema: { type: "string", uniqueItems: true },
}));

const PATCHES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

function pathsOf(resource: Resource): [string, JsonObject][] {
  const { group, version, kind, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${apiVersionOf(resource)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const gvk = { group, version, kind };
  const operation = (action: string, more: JsonObject = {}) => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
    ...more,
  });
  const written = { parameters: WRITE_PARAMETERS };
  const patchBody = { content: Object.fromEntries(PATCHES.map((type) => [type, { schema: { type: "object" } }])) };
  return [
    [collection, { get: operation("list"), post: operation("post", written), delete: operation("deletecollection") }],
    [
      `${collection}/{name}`,
      {
        get: operation("get"),
        put: operation("put", written),
        patch: operation("patch", { ...written, requestBody: patchBody }),
        delete: operation("delete"),
      },
    ],
  ];
}
