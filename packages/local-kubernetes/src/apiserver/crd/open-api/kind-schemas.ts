import type { CrdVersion, CustomResourceDefinition } from "../custom-resource-definition.ts";
import { isObject, type Schema } from "../schema.ts";
import { META, reference } from "./meta-schemas.ts";

/** The name under which a kind's schema is found: the group backwards, the version and the kind. */
export function schemaName({ spec }: CustomResourceDefinition, version: string, kind = spec.names.kind): string {
  return [...spec.group.split(".").reverse(), version, kind].join(".");
}

/** The schema of a kind, with the fields that all kinds have. */
export function kindSchema(crd: CustomResourceDefinition, version: CrdVersion): Record<string, unknown> {
  const schema = version.schema?.openAPIV3Schema ?? {};
  const published = {
    ...publishedSchema(schema),
    type: "object",
    properties: {
      ...TYPE_META,
      metadata: { description: "Standard metadata of an object.", allOf: [reference(`${META}.ObjectMeta`)] },
      ...omitMeta(publishedSchema(schema).properties),
    },
    "x-kubernetes-group-version-kind": [gvk(crd, version.name, crd.spec.names.kind)],
  };
  return { [schemaName(crd, version.name)]: published };
}

/** The schema of a kind's lists. */
export function listSchema(crd: CustomResourceDefinition, version: CrdVersion): Record<string, unknown> {
  const { kind, listKind = `${kind}List`, plural } = crd.spec.names;
  return {
    [schemaName(crd, version.name, listKind)]: {
      description: `${listKind} is a list of ${kind}`,
      type: "object",
      required: ["items"],
      properties: {
        ...TYPE_META,
        items: {
          description: `The ${plural} of the list.`,
          type: "array",
          items: reference(schemaName(crd, version.name)),
        },
        metadata: { description: "Standard metadata of a list.", allOf: [reference(`${META}.ListMeta`)] },
      },
      "x-kubernetes-group-version-kind": [gvk(crd, version.name, listKind)],
    },
  };
}

/** Group, version and kind, as clients look schemas and operations up by them. */
export function gvk({ spec }: CustomResourceDefinition, version: string, kind: string) {
  return { group: spec.group, kind, version };
}

const TYPE_META = {
  apiVersion: { description: "Version of the schema that this object follows, with its group.", type: "string" },
  kind: { description: "What kind of object this is; it cannot be changed.", type: "string" },
};

function omitMeta(properties: unknown): Record<string, unknown> {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...own } = isObject(properties) ? properties : {};
  return own;
}

// Resources inside of resources bear type and metadata too, whether or not the CRD says so.
function publishedSchema(schema: Schema): Record<string, unknown> {
  const map = (schemas: Readonly<Record<string, Schema>>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, publishedSchema(each)]));
  const { properties, items, additionalProperties } = schema;
  const meta = {
    ...TYPE_META,
    metadata: { description: "Standard metadata of an object.", allOf: [reference(`${META}.ObjectMeta`)] },
  };
  const isEmbedded = schema["x-kubernetes-embedded-resource"];
  return {
    ...schema,
    ...(schema["x-kubernetes-int-or-string"] && { anyOf: [{ type: "integer" }, { type: "string" }] }),
    ...((properties || isEmbedded) && { properties: { ...(isEmbedded && meta), ...map(properties ?? {}) } }),
    ...(items && !Array.isArray(items) && { items: publishedSchema(items as Schema) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: publishedSchema(additionalProperties) }),
  };
}
