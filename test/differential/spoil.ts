import type { Draw } from "./draw.ts";
import type { Json } from "./request.ts";
import { FORMATS, PATTERNS } from "./schema-examples.ts";

const ODD: readonly unknown[] = [
  null,
  "",
  "abc",
  "UPPER",
  "x".repeat(70),
  -1,
  0,
  1.5,
  7,
  10,
  3_000_000_000,
  true,
  [],
  {},
  [1, 1],
  ["a", "a"],
  { a: 1 },
  [{}],
];

const BAD_TEXTS = [...Object.values(FORMATS), ...Object.values(PATTERNS)].flatMap(({ bad }) => bad);

/** The value with one thing in it made odd: often wrong, sometimes only unusual. */
export function spoiled(draw: Draw, value: unknown): unknown {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  if (places.length === 0) return draw.of(ODD);
  const { parent, key } = draw.of(places);
  const holder = parent as Record<string | number, unknown>;
  draw.weighted<() => void>([
    [6, () => set(holder, key, draw.of(ODD))],
    [3, () => set(holder, key, draw.of(BAD_TEXTS))],
    [2, () => drop(parent, key)],
    [2, () => unknownBeside(holder)],
    [2, () => repeat(parent, key)],
  ])();
  return copy;
}

/** The value with one thing in it of another type, or one unknown thing more. */
export function mistyped(draw: Draw, value: unknown): unknown {
  const copy = structuredClone(value);
  const { parent, key } = draw.of(placesIn(copy));
  const holder = parent as Record<string | number, unknown>;
  const kind = (item: unknown) => (Array.isArray(item) ? "list" : typeof item);
  if (draw.chance(0.25)) unknownBeside(holder);
  else
    set(holder, key, draw.of([7, "abc", true, ["a"], { a: 1 }].filter((other) => kind(other) !== kind(holder[key]))));
  return copy;
}

interface Place {
  readonly parent: object;
  readonly key: string | number;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [{ parent: value, key }, ...placesIn((value as Record<string | number, unknown>)[key])]);
}

function set(holder: Record<string | number, unknown>, key: string | number, value: unknown): void {
  holder[key] = structuredClone(value);
}

function drop(parent: object, key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete (parent as Json)[key];
}

function unknownBeside(holder: Record<string | number, unknown>): void {
  if (Array.isArray(holder)) holder.push({ surprise: 1 });
  else holder.surprise = { deep: [1] };
}

/** An item twice, or a key under another name. */
function repeat(parent: object, key: string | number): void {
  if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]));
  else (parent as Json)[`${key}2`] = structuredClone((parent as Json)[key]);
}
