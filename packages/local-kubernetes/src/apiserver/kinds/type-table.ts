import { apiextensionsTypes } from "./types/apiextensions-types.ts";
import { clusterTypes } from "./types/cluster-types.ts";
import { metaTypes } from "./types/meta-types.ts";
import { podTypes } from "./types/pod-types.ts";
import { requestTypes } from "./types/request-types.ts";
import { workloadTypes } from "./types/workload-types.ts";

export type Scalar =
  | "string"
  | "int"
  | "number"
  | "bool"
  | "bytes"
  | "quantity"
  | "intOrString"
  | "time"
  | "microTime"
  | "any";

export type FieldType =
  | { readonly kind: Scalar }
  | { readonly kind: "struct"; readonly name: string }
  | { readonly kind: "map"; readonly of: FieldType }
  | ListType;

export interface ListType {
  readonly kind: "list";
  readonly of: FieldType;
  /**
   * How a strategic merge patch treats it: items with the same key are one, plain values are united, or all is
   * replaced.
   */
  readonly merge: { readonly by: string } | "union" | "replace";
  /** Where Go has a type of its own for it. */
  readonly goName?: string;
}

export interface Field {
  readonly type: FieldType;
  readonly isRequired: boolean;
  /** Whether "", 0 and false say something else than leaving the field out. */
  readonly keepsZero: boolean;
}

/** A field of a protobuf message, or fields that lie in a message of their own there and not in JSON. */
export type WireField =
  | { readonly kind: "field"; readonly name: string; readonly field: Field }
  | { readonly kind: "inline"; readonly type: string };

export interface StructType {
  readonly fields: ReadonlyMap<string, Field>;
  readonly wire: ReadonlyMap<number, WireField>;
}

/** What is written in the table about one type, in its order. */
type Part = { readonly number: number; readonly wire: WireField };

const SCALARS: ReadonlySet<string> = new Set([
  ...["int", "number", "bool", "bytes", "quantity", "intOrString", "time", "microTime", "any"],
]);

const FIELD = /^([\w$-]+)(?::(\w+)|\[([^\]]*)\]|\{(\w*|\[\])\})?([!?]?)$/;

// The only lists that lie in maps are what is known of a user besides name and groups.
const EXTRA_VALUE: ListType = { kind: "list", of: { kind: "string" }, merge: "replace", goName: "v1.ExtraValue" };

const TEXT = [metaTypes, podTypes, workloadTypes, clusterTypes, requestTypes, apiextensionsTypes].join("");

/**
 * Every type of the built-in kinds. A line is `Name: field field:Type list[Type/mergeKey] map{Type} <Inlined>`,
 * continued where the next one is indented; `map{[]}` holds lists of strings. No type means string; `[+]` is a list of
 * strings that a patch adds to; `!` is required; `?` tells a zero value from none. Fields stand in the order of their
 * protobuf numbers, `@n` sets the next one, and `*` stands for apiVersion and kind, which have none. One table tells
 * which fields exist, how they come in, how patches merge them, and what OpenAPI says of them.
 */
const TABLE = parseTypes(TEXT);

const structs = new Map<string, StructType>();

export function structOf(name: string): StructType {
  const known = structs.get(name);
  if (known) return known;
  const parts = TABLE.get(name);
  if (!parts) throw new Error(`no type ${name} in the table`);
  const made = {
    fields: new Map(parts.flatMap(({ wire }) => fieldsOf(wire))),
    wire: new Map(parts.filter(({ number }) => number > 0).map(({ number, wire }) => [number, wire])),
  };
  structs.set(name, made);
  return made;
}

export function hasType(name: string): boolean {
  return TABLE.has(name);
}

function fieldsOf(wire: WireField): [string, Field][] {
  return wire.kind === "field" ? [[wire.name, wire.field]] : [...structOf(wire.type).fields];
}

export function parseTypes(text: string): Map<string, Part[]> {
  const lines = text.replaceAll(/\n +/g, " ").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [name = "", fields = ""] = line.split(/:(.*)/s);
      return [name, parseParts(fields.split(" ").filter(Boolean))];
    }),
  );
}

function parseParts(words: readonly string[]): Part[] {
  const parts: Part[] = [];
  let number = 1;
  for (const word of words) {
    if (word === "*")
      parts.push({ number: 0, wire: parseField("apiVersion") }, { number: 0, wire: parseField("kind") });
    else if (word.startsWith("@")) number = Number(word.slice(1));
    else
      parts.push({
        number: number++,
        wire: word.startsWith("<") ? { kind: "inline", type: word.slice(1, -1) } : parseField(word),
      });
  }
  return parts;
}

function parseField(text: string): WireField {
  const match = FIELD.exec(text);
  if (!match) throw new Error(`cannot read the field ${text}`);
  const [, name = "", plain, list, map, mark] = match;
  const type = list !== undefined ? listType(list) : map !== undefined ? mapType(map) : named(plain ?? "");
  return { kind: "field", name, field: { type, isRequired: mark === "!", keepsZero: mark !== "" } };
}

function mapType(text: string): FieldType {
  if (text === "[]") return { kind: "map", of: EXTRA_VALUE };
  return { kind: "map", of: named(text) };
}

function listType(text: string): ListType {
  if (text === "+") return { kind: "list", of: { kind: "string" }, merge: "union" };
  const [of = "", by] = text.split("/");
  return { kind: "list", of: named(of), merge: by ? { by } : "replace" };
}

function named(name: string): FieldType {
  if (name === "") return { kind: "string" };
  return SCALARS.has(name) ? { kind: name as Scalar } : { kind: "struct", name };
}
