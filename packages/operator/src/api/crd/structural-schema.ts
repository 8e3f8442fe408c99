import * as z from "zod";

/** The part of apiextensions' JSONSchemaProps that our schemas use. */
export interface StructuralSchema {
  type?: string;
  description?: string;
  default?: unknown;
  nullable?: boolean;
  format?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-validations"?: { rule: string; message: string; messageExpression?: string; fieldPath?: string }[];
}

/** Converts one of our schemas to the structural form that a CRD requires. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", reused: "inline" });
  const structural = normalized(json as JsonSchema);
  // The API server owns metadata: a CRD may only say that it is an object.
  if (structural.properties?.metadata) structural.properties.metadata = { type: "object" };
  return structural;
}

type JsonSchema = Omit<StructuralSchema, "properties" | "additionalProperties" | "items"> & {
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  propertyNames?: unknown;
  $schema?: string;
};

function normalized(json: JsonSchema): StructuralSchema {
  const { properties, additionalProperties, items, anyOf, propertyNames, $schema, required, ...rest } = json;
  const schema: StructuralSchema = withoutLeastSafeInteger(rest);
  // It would only make "not said" look like something that was said; we read both alike.
  if (schema.default === "") delete schema.default;
  if (schema["x-kubernetes-int-or-string"]) return schema;
  if (required?.length) schema.required = required;
  if (items) schema.items = normalized(items);
  if (properties) {
    schema.properties = Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, normalized(value)]));
  }
  if (isAnything(additionalProperties)) {
    // A loose object keeps what it does not know; beside `properties` a schema for the rest is not structural.
    schema["x-kubernetes-preserve-unknown-fields"] = true;
    if (!Object.keys(schema.properties ?? {}).length) delete schema.properties;
  } else if (typeof additionalProperties === "object" && !properties) {
    schema.additionalProperties = normalized(additionalProperties);
  }
  return schema;
}

function isAnything(additional: JsonSchema | boolean | undefined): boolean {
  return additional === true || (typeof additional === "object" && Object.keys(additional).length === 0);
}

// zod bounds every integer from below by what JavaScript can count to, which says nothing about the field. The bound
// from above stays: a larger number would be stored, and then read as another.
function withoutLeastSafeInteger(schema: StructuralSchema): StructuralSchema {
  const { minimum, ...rest } = schema;
  return { ...rest, ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { minimum }) };
}
