import { goJson } from "../crd/go-text.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import type { FieldSet } from "./field-set.ts";
import type { ListShape } from "./shape.ts";
import { TypeMismatch } from "./type-mismatch.ts";

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** How an item of a list that is merged item by item is called: by its keys, or by its value. */
export function itemElement({ merge }: ListShape, item: unknown): string {
  if (merge.kind !== "map") return `v:${goJson(item)}`;
  if (item === null) throw new TypeMismatch("associative list with keys may not have a null element");
  if (!isObject(item)) throw new TypeMismatch("associative list with keys may not have non-map elements");
  let text = "";
  for (const { name, otherwise } of merge.keys) {
    const value = item[name] === undefined ? otherwise : item[name];
    if (value === undefined) continue;
    text += `${text === "" ? "" : ","}${goJson(name)}:${goJson(value)}`;
  }
  if (text === "") {
    const names = `[${merge.keys.map(({ name }) => JSON.stringify(name)).join(" ")}]`;
    const why = `omits all key fields ${names} (and doesn't have default values for any key fields)`;
    throw new TypeMismatch(`associative list with keys has an element that ${why}`);
  }
  return `k:{${text}}`;
}

/** The same set with its elements in the order in which they are written. */
export function inOrder(set: FieldSet): FieldSet {
  // Most are in order already.
  if (isInOrder(set)) return set;
  const below = Object.entries(set).map(([element, field]): [string, FieldSet] => [element, inOrder(field)]);
  return Object.fromEntries(below.sort(([one], [other]) => compareElements(one, other)));
}

function isInOrder(set: FieldSet): boolean {
  let last: string | undefined;
  for (const element in set) {
    if (last !== undefined && compareElements(last, element) >= 0) return false;
    if (!isInOrder(set[element] as FieldSet)) return false;
    last = element;
  }
  return true;
}

/** A path as messages have it: `.spec.containers[name="a"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

export function elementText(element: string): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${Object.entries(parsed(rest) as JsonObject)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${rest}]`;
    default:
      return `[${rest}]`;
  }
}

const RANKS = ".fkvi";

const NEEDS_PARSING = /:[^"{]|[ !\\]/;

function compareElements(one: string, other: string): number {
  if (one[0] === "f" && other[0] === "f") return compareText(one, other);
  const ranks = RANKS.indexOf(one[0] ?? "") - RANKS.indexOf(other[0] ?? "");
  if (ranks !== 0) return ranks;
  // Most keys are plain words, whose JSON is in the same order as they are.
  if (!(NEEDS_PARSING.test(one) || NEEDS_PARSING.test(other))) return compareText(one, other);
  return compareValues(parsed(one.slice(2)), parsed(other.slice(2)));
}

function compareValues(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (isObject(one) && isObject(other)) return compareKeys(Object.entries(one), Object.entries(other));
  if (typeof one === typeof other) return compareText(String(one), String(other));
  return VALUE_RANKS.indexOf(typeof one) - VALUE_RANKS.indexOf(typeof other);
}

const VALUE_RANKS = ["number", "string", "boolean", "object"];

function compareKeys(one: readonly [string, unknown][], other: readonly [string, unknown][]): number {
  for (const [index, [name, value]] of one.entries()) {
    const twin = other[index];
    if (!twin) return 1;
    const order = compareText(name, twin[0]) || compareValues(value, twin[1]);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
