import { type Field, type FieldType, type ListType, type Scalar, structOf } from "../kinds/type-table.ts";
import { ATOMIC_FIELDS, ATOMIC_TYPES, ITEM_KEYS, LIST_MERGES, ZERO_VALUES } from "./merge-rules.ts";
import {
  DEDUCED,
  type ListMerge,
  type ListShape,
  type MapShape,
  objectShape,
  once,
  type ScalarShape,
  type Shape,
} from "./shape.ts";

const kinds = new Map<string, MapShape>();
const structs = new Map<string, MapShape>();

/** The shape of the objects of a built-in kind. */
export function shapeOfKind(name: string): MapShape {
  const known = kinds.get(name) ?? objectShape(shapeOfType(name));
  kinds.set(name, known);
  return known;
}

/** The shape of a type of the table. */
export function shapeOfType(name: string): MapShape {
  const known = structs.get(name);
  if (known) return known;
  const fields = [...structOf(name).fields];
  const made: MapShape = {
    kind: "map",
    isAtomic: ATOMIC_TYPES.has(name),
    fields: new Map(fields.map(([field, { type }]) => [field, { shape: once(() => shapeOf(type, name, field)) }])),
    always: fields.flatMap(([field, each]) => {
      const zero = zeroOf(name, field, each);
      return zero === undefined ? [] : [[field, zero] as const];
    }),
  };
  structs.set(name, made);
  return made;
}

const NO_FIELDS: MapShape["fields"] = new Map();

function shapeOf(type: FieldType, owner: string, field: string): Shape {
  switch (type.kind) {
    case "struct":
      // The one reference that is merged field by field.
      if (owner === "PersistentVolumeSpec" && field === "claimRef")
        return { ...shapeOfType(type.name), isAtomic: false };
      return shapeOfType(type.name);
    case "map": {
      const others = shapeOf(type.of, owner, field);
      return { kind: "map", isAtomic: ATOMIC_FIELDS.has(`${owner}.${field}`), fields: NO_FIELDS, others, always: [] };
    }
    case "list":
      return listShape(type, owner, field);
    case "any":
      return DEDUCED;
    default:
      return SCALARS[type.kind];
  }
}

const [TEXT, NUMBER, EITHER]: ScalarShape[] = [
  { kind: "scalar", type: "string" },
  { kind: "scalar", type: "number" },
  { kind: "scalar" },
] as const;

const SCALARS = {
  string: TEXT,
  bytes: TEXT,
  time: TEXT,
  microTime: TEXT,
  int: NUMBER,
  number: NUMBER,
  bool: { kind: "scalar", type: "boolean" },
  quantity: EITHER,
  intOrString: EITHER,
} as Readonly<Record<Exclude<Scalar, "any">, ScalarShape>>;

function listShape({ of, merge }: ListType, owner: string, field: string): ListShape {
  const special = LIST_MERGES.get(`${owner}.${field}`);
  const plain = merge === "replace" ? "atomic" : merge === "union" ? "set" : merge.by;
  return { kind: "list", of: once(() => shapeOf(of, owner, field)), merge: listMerge(special ?? plain, of) };
}

function listMerge(text: string, of: FieldType): ListMerge {
  if (text === "atomic" || text === "set") return { kind: text };
  const fields = of.kind === "struct" ? structOf(of.name).fields : undefined;
  const keys = text.split(",").map((name) => {
    const otherwise = ITEM_KEYS.get(name) ?? scalarZero(fields?.get(name));
    return { name, ...(otherwise !== undefined && { otherwise }) };
  });
  return { kind: "map", keys };
}

/** What Go's JSON has for a field that nobody set; undefined where it leaves the field out. */
function zeroOf(owner: string, name: string, field: Field): unknown {
  const isAlways = ZERO_VALUES.has(`${owner}.${name}`) || ZERO_VALUES.has(`*.${name}`);
  switch (field.type.kind) {
    case "struct":
      return isAlways ? {} : field.isRequired ? null : undefined;
    case "time":
    case "microTime":
      return isAlways || owner.endsWith("Condition") || field.isRequired ? null : undefined;
    case "list":
    case "map":
    case "any":
      return isAlways || field.isRequired ? null : undefined;
    default:
      return isAlways || field.isRequired ? scalarZero(field) : undefined;
  }
}

function scalarZero(field: Field | undefined): unknown {
  switch (field?.type.kind) {
    case "string":
      return "";
    case "int":
    case "number":
      return 0;
    case "bool":
      return false;
    case "quantity":
      return "0";
    case "intOrString":
      return 0;
    default:
      return undefined;
  }
}
