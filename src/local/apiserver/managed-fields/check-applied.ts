import { isObject } from "../kube-object.ts";
import { elementText, itemElement } from "./path-element.ts";
import { type ListShape, type MapShape, type ScalarShape, type Shape, shapeFor, shapeOfField } from "./shape.ts";
import { TypeMismatch } from "./type-mismatch.ts";

/** What of an applied object its type does not have, or has otherwise: `.spec.foo: field not declared in schema`. */
export function appliedMistakes(shape: Shape, value: unknown, path = ""): string[] {
  return mistakesIn(shape, value, path, "twins are mistakes");
}

/** Whether an object that somebody sent could be read by its type at all. */
export function fitsShape(shape: Shape, value: unknown): boolean {
  return mistakesIn(shape, value, "", "twins are fine").length === 0;
}

type Twins = "twins are mistakes" | "twins are fine";

function mistakesIn(shape: Shape, value: unknown, path: string, twins: Twins): string[] {
  const known = shapeFor(shape, value);
  if (value === null) return [];
  switch (known.kind) {
    case "scalar":
      return scalarMistakes(known, value, path);
    case "map":
      return isObject(value)
        ? mapMistakes(known, value, path, twins)
        : [`${path}: expected map, got &{${goText(value)}}`];
    case "list":
      return Array.isArray(value)
        ? listMistakes(known, value, path, twins)
        : [`${path}: expected list, got &{${goText(value)}}`];
  }
}

function scalarMistakes({ type }: ScalarShape, value: unknown, path: string): string[] {
  if (type === undefined) {
    return typeof value === "object" ? [`${path}: expected any scalar, got &{${goText(value)}}`] : [];
  }
  if (typeof value === type) return [];
  switch (type) {
    case "string":
      return [`${path}: expected string, got &value.valueUnstructured{Value:${goLiteral(value)}}`];
    case "number":
      return [`${path}: expected numeric (int or float), got ${goType(value)}`];
    case "boolean":
      return [`${path}: expected boolean, got &{${goText(value)}}`];
  }
}

function mapMistakes(shape: MapShape, map: Readonly<Record<string, unknown>>, path: string, twins: Twins): string[] {
  const mistakes: string[] = [];
  for (const [name, value] of Object.entries(map)) {
    const known = shapeOfField(shape, name);
    // After one that nobody knows, kube-apiserver looks no further in this map.
    if (!known) return [...mistakes, `${path}.${name}: field not declared in schema`];
    mistakes.push(...mistakesIn(known, value, `${path}.${name}`, twins));
  }
  return mistakes;
}

function listMistakes(shape: ListShape, items: readonly unknown[], path: string, twins: Twins): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    if (shape.merge.kind === "atomic") return mistakesIn(shape.of(), item, `${path}[${index}]`, twins);
    try {
      const element = itemElement(shape, item);
      if (seen.has(element) && twins === "twins are mistakes")
        return [`${path}: duplicate entries for key ${elementText(element)}`];
      seen.add(element);
      return mistakesIn(shape.of(), item, `${path}${elementText(element)}`, twins);
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      return [`${path}: element ${index}: ${error.message}`];
    }
  });
}

// Three ways in which Go shows a value.
function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  return `map[${Object.entries(value)
    .map(([name, item]) => `${name}:${goText(item)}`)
    .join(" ")}]`;
}

function goLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goLiteral).join(", ")}}`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${goLiteral(item)}`);
  return `map[string]interface {}{${entries.join(", ")}}`;
}
