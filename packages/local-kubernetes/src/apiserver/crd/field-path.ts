/** The path of a field: `a.b`; the root is the empty path, and so is the way from a value to itself. */
export function child(path: string, name: string): string {
  return path === "" || name === "" ? path + name : `${path}.${name}`;
}

/** The path of a value in a map: `a[b]`. */
export function entry(path: string, key: string | number): string {
  return `${path}[${key}]`;
}
