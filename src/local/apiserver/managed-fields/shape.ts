/** What the fields of a value are called, and which of them belong together. */
export type Shape = ScalarShape | MapShape | ListShape | DeducedShape;

/** One value that one manager has. */
export interface ScalarShape {
  readonly kind: "scalar";
  /** What the value has to be; absent where anything goes. */
  readonly type?: "string" | "number" | "boolean";
  /** Whether no manager can have it, because it says which object this is or the server fills it in. */
  readonly isNobodys?: boolean;
}

export interface MapShape {
  readonly kind: "map";
  /** Whether it belongs to one manager as a whole. */
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, ShapeField>;
  /** What every other key may hold; absent where there are no others. */
  readonly others?: Shape;
  /** Fields that are there even when nobody set them, as in a Go struct. */
  readonly always: readonly (readonly [name: string, zero: unknown])[];
}

export interface ShapeField {
  /** Looked up when it is needed, for types may contain themselves. */
  shape(): Shape;
}

export interface ListShape {
  readonly kind: "list";
  readonly of: () => Shape;
  readonly merge: ListMerge;
}

export type ListMerge =
  | { readonly kind: "atomic" }
  | { readonly kind: "set" }
  /** In alphabetical order, with what an item without the key is taken to have. */
  | { readonly kind: "map"; readonly keys: readonly { readonly name: string; readonly otherwise?: unknown }[] };

const NOBODYS: ScalarShape = { kind: "scalar", isNobodys: true };

const SERVER_METADATA: readonly string[] = [
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "generation", "managedFields", "resourceVersion"],
];

/** The shape of whole objects, of the shape of their fields. */
export function objectShape(shape: MapShape): MapShape {
  const metadata = once(() => {
    const inner = shape.fields.get("metadata")?.shape();
    return inner?.kind === "map" ? withNobodys(inner, SERVER_METADATA) : DEDUCED;
  });
  const own = withNobodys(shape, ["apiVersion", "kind"]);
  return { ...own, fields: new Map([...own.fields, ["metadata", { shape: metadata }]]) };
}

function withNobodys(shape: MapShape, names: readonly string[]): MapShape {
  const fields = names.map((name): [string, ShapeField] => [name, { shape: nobodys(shape.fields.get(name)) }]);
  return {
    ...shape,
    fields: new Map([...shape.fields, ...fields]),
    always: shape.always.filter(([name]) => !names.includes(name)),
  };
}

function nobodys(field: ShapeField | undefined): () => Shape {
  const shape = field?.shape();
  const made = shape?.kind === "scalar" ? { ...shape, isNobodys: true } : NOBODYS;
  return () => made;
}

export function once(make: () => Shape): () => Shape {
  let made: Shape | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Nothing is known: maps are merged field by field, lists belong together. */
export interface DeducedShape {
  readonly kind: "deduced";
}

export const DEDUCED: DeducedShape = { kind: "deduced" };

const ANY: ScalarShape = { kind: "scalar" };
const FREE_MAP: MapShape = { kind: "map", isAtomic: false, fields: new Map(), others: DEDUCED, always: [] };
const FREE_LIST: ListShape = { kind: "list", of: () => DEDUCED, merge: { kind: "atomic" } };

/** The shape of this very value, where the type leaves it open. */
export function shapeFor(shape: Shape, value: unknown): ScalarShape | MapShape | ListShape {
  if (shape.kind !== "deduced") return shape;
  if (Array.isArray(value)) return FREE_LIST;
  return typeof value === "object" && value !== null ? FREE_MAP : ANY;
}

export function shapeOfField({ fields, others }: MapShape, name: string): Shape | undefined {
  return fields.get(name)?.shape() ?? others;
}
