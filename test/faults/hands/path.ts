/** Where a value lies in an object: keys of maps and places of lists. */
export type Path = readonly (string | number)[];

/** `metadata.annotations[etcd.database.coreos.com/spec-hash]` is shown as `metadata.annotations.spec-hash`. */
export function nameOf(path: Path): string {
  return path.map((key) => String(key).replace(/^.*\//, "")).join(".");
}

export function valueAt(object: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], object);
}

/** The same with another value there; undefined takes it out. */
export function withValueAt(object: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const inner = withValueAt((object as Record<string | number, unknown> | undefined)?.[key], rest, value);
  if (typeof key === "number") {
    const list: unknown[] = Array.isArray(object) ? [...object] : [];
    list.splice(key, 1, ...(inner === undefined ? [] : [inner]));
    return list;
  }
  const { [key]: _, ...others } = (object ?? {}) as Record<string, unknown>;
  return inner === undefined ? others : { ...others, [key]: inner };
}

/** Every value of an object that is no map: of a list of maps, those of its first entry. */
export function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return isMap(value[0]) ? leavesOf(value[0], [...path, 0]) : [path];
  if (!isMap(value)) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
