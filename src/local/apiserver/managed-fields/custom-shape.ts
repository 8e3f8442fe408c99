import { itemsOf, type Schema, valuesOf } from "../crd/schema.ts";
import { shapeOfType } from "./builtin-shape.ts";
import {
  DEDUCED,
  type ListMerge,
  type MapShape,
  objectShape,
  once,
  type ScalarShape,
  type Shape,
  type ShapeField,
} from "./shape.ts";

/** The shape of the objects of a custom kind. */
export function shapeOfCustom(schema: Schema): MapShape {
  return objectShape(mapShape({ ...schema, "x-kubernetes-embedded-resource": true }));
}

function shapeOf(schema: Schema): Shape {
  if (schema["x-kubernetes-int-or-string"]) return { kind: "scalar" };
  switch (schema.type) {
    case "object":
      return mapShape(schema);
    case "array":
      return { kind: "list", of: later(itemsOf(schema)), merge: listMerge(schema) };
    case undefined:
      return DEDUCED;
    default:
      return SCALARS[schema.type] ?? { kind: "scalar" };
  }
}

const SCALARS: Readonly<Record<string, ScalarShape>> = {
  string: { kind: "scalar", type: "string" },
  integer: { kind: "scalar", type: "number" },
  number: { kind: "scalar", type: "number" },
  boolean: { kind: "scalar", type: "boolean" },
};

function mapShape(schema: Schema): MapShape {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const own = Object.entries(schema.properties ?? {})
    .filter(([name]) => !(isEmbedded && name === "metadata"))
    .map(([name, property]): [string, ShapeField] => [name, { shape: later(property) }]);
  const others = othersOf(schema);
  return {
    kind: "map",
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    fields: new Map([...(isEmbedded ? RESOURCE_FIELDS : []), ...own]),
    ...(others && { others }),
    always: [],
  };
}

const RESOURCE_FIELDS: readonly [string, ShapeField][] = [
  ["apiVersion", { shape: () => ({ kind: "scalar", type: "string" }) }],
  ["kind", { shape: () => ({ kind: "scalar", type: "string" }) }],
  ["metadata", { shape: () => METADATA }],
];

// Custom objects are no Go structs: what is not set is not there.
const METADATA: MapShape = { ...shapeOfType("ObjectMeta"), always: [] };

function othersOf(schema: Schema): Shape | undefined {
  const values = valuesOf(schema);
  if (values) return shapeOf(values);
  if (schema["x-kubernetes-preserve-unknown-fields"] || schema.additionalProperties === true) return DEDUCED;
  return undefined;
}

function listMerge(schema: Schema): ListMerge {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return { kind: "set" };
    case "map": {
      const properties = itemsOf(schema)?.properties ?? {};
      const names = [...(schema["x-kubernetes-list-map-keys"] ?? [])].sort();
      return { kind: "map", keys: names.map((name) => ({ name, otherwise: properties[name]?.default })) };
    }
    default:
      return { kind: "atomic" };
  }
}

function later(schema: Schema | undefined): () => Shape {
  return once(() => (schema ? shapeOf(schema) : DEDUCED));
}
