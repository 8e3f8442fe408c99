type Block = Record<string, unknown>;

/** What a map of the spec has its value under, by default. */
const SOME_KEY = "team";

/**
 * Another spec that has this value there; blocks, and a first entry of lists, are made on the way. Undefined takes it
 * out.
 */
export function withValue(spec: object, path: string, value: unknown, mapKey = SOME_KEY): object {
  return placed(spec, keysOf(path, mapKey), value) as object;
}

/** `pod.tolerations[].key` → `pod`, `tolerations`, 0, `key`. */
function keysOf(path: string, mapKey: string): readonly (string | number)[] {
  return path.split(".").flatMap((part) => {
    const [, name = part, holds] = /^(.*?)(\[\]|\{\})?$/.exec(part) ?? [];
    if (holds === undefined) return [name];
    return holds === "[]" ? [name, 0] : [name, mapKey];
  });
}

function placed(at: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list: unknown[] = Array.isArray(at) ? [...at] : [];
    const inner = placed(list[key], rest, value);
    list.splice(key, 1, ...(inner === undefined ? [] : [inner]));
    return list;
  }
  const { [key]: before, ...others } = (at ?? {}) as Block;
  const inner = placed(before, rest, value);
  return inner === undefined ? others : { ...others, [key]: inner };
}
