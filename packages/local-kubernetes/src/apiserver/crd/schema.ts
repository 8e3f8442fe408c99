/** A JSON object, as it comes from a request. */
export type JsonObject = Record<string, unknown>;

/** One node of a CRD's `openAPIV3Schema`. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema | readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly Rule[];
}

/** One entry of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The fields that every resource has, whatever its schema says. */
export const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema of a property; undefined for names that objects inherit. */
export function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  return schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

/** The schema of all values of a map; undefined where there is none. */
export function valuesOf(schema: Schema | undefined): Schema | undefined {
  return typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** The schema of the items of a list; CRDs allow one only. */
export function itemsOf(schema: Schema | undefined): Schema | undefined {
  return Array.isArray(schema?.items) ? undefined : (schema?.items as Schema | undefined);
}
