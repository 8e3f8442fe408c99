import { isObject, type JsonObject, objectIn } from "../kube-object.ts";

/**
 * One OpenAPI v2 document of several of v3, as far as clients look into it: the types, and what can be done at each
 * path.
 */
export function swaggerOf(documents: readonly JsonObject[], version: string): JsonObject {
  const definitions = documents.flatMap((document) => Object.entries(objectIn(document, "components", "schemas")));
  const paths = documents.flatMap((document) => Object.entries(objectIn(document, "paths")));
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    paths: Object.fromEntries(paths.map(([path, item]) => [path, pathItem(item)])),
    definitions: Object.fromEntries(definitions.map(([name, schema]) => [name, definition(schema)])),
  };
}

const VERBS = ["get", "put", "post", "delete", "patch"];

function pathItem(item: unknown): JsonObject {
  const operations = Object.entries(isObject(item) ? item : {}).filter(([verb]) => VERBS.includes(verb));
  return Object.fromEntries(operations.map(([verb, operation]) => [verb, operationOf(operation)]));
}

function operationOf(operation: unknown): JsonObject {
  if (!isObject(operation)) return {};
  const { parameters, operationId, description } = operation;
  const queries = (Array.isArray(parameters) ? parameters : []).filter((each) => isObject(each) && each.in === "query");
  return {
    ...(typeof description === "string" && { description }),
    ...(typeof operationId === "string" && { operationId }),
    parameters: queries.map((each) => ({ name: each.name, in: "query", type: "string", uniqueItems: true })),
    responses: { "401": { description: "Unauthorized" } },
    ...extensionsOf(operation),
  };
}

/** A schema without what v2 does not have: choices, and references beside anything else. */
function definition(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const { allOf, $ref, properties, items, additionalProperties, oneOf } = schema;
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf : [undefined];
  const reference = typeof $ref === "string" ? $ref : isObject(only) && typeof only.$ref === "string" ? only.$ref : "";
  if (reference !== "") {
    const { description } = schema;
    return {
      ...(description !== undefined && { description }),
      $ref: reference.replace("components/schemas", "definitions"),
    };
  }
  const plain = ["type", "format", "description", "required"].filter((name) => schema[name] !== undefined);
  return {
    ...Object.fromEntries(plain.map((name) => [name, schema[name]])),
    ...(oneOf !== undefined && { type: "string" }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, definition(each)])),
    }),
    ...(isObject(items) && { items: definition(items) }),
    ...(isObject(additionalProperties) && { additionalProperties: definition(additionalProperties) }),
    ...extensionsOf(schema),
  };
}

export function extensionsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith("x-")));
}
