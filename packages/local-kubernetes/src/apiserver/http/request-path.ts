/** What the path of a request is about. */
export type RequestPath =
  | ResourcePath
  | { readonly kind: "core-versions" } // /api
  | { readonly kind: "groups" } // /apis
  | { readonly kind: "group"; readonly group: string } // /apis/apps
  | { readonly kind: "resources"; readonly group: string; readonly version: string } // /api/v1, /apis/apps/v1
  | { readonly kind: "other"; readonly path: string };

export interface ResourcePath {
  readonly kind: "resource";
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** The old way to say ?watch=true. */
  readonly isWatch: boolean;
}

const SLASHES_AROUND = /^\/|\/+$/g;

export function parsePath(path: string): RequestPath {
  const plain = path.replace(SLASHES_AROUND, "").split("/");
  const [root, ...rest] = path.includes("%") ? plain.map(decode) : plain;
  if (root === "" || rest.includes("")) return { kind: "other", path };
  if (root === "api") return parseApi("", rest, { kind: "core-versions" });
  if (root !== "apis") return { kind: "other", path };
  const [group, ...more] = rest;
  if (group === undefined) return { kind: "groups" };
  return parseApi(group, more, { kind: "group", group });
}

function parseApi(group: string, parts: readonly string[], whenEmpty: RequestPath): RequestPath {
  const [version, ...rest] = parts;
  if (version === undefined) return whenEmpty;
  if (rest.length === 0) return { kind: "resources", group, version };
  const isWatch = rest[0] === "watch";
  return parseResource(group, version, isWatch ? rest.slice(1) : rest, isWatch);
}

// "namespaces" is both a resource of its own and what stands before resources in a namespace.
function parseResource(group: string, version: string, parts: readonly string[], isWatch: boolean): ResourcePath {
  const [first = "", second, third, ...rest] = parts;
  const isNamespaced = first === "namespaces" && third !== undefined && !isOfNamespace(group, third);
  const [plural, name, subresource] = isNamespaced ? [third, rest[0], rest.slice(1)] : [first, second, parts.slice(2)];
  const found: { -readonly [field in keyof ResourcePath]: ResourcePath[field] } = {
    ...{ kind: "resource", group, version, isWatch, plural },
  };
  if (isNamespaced && second !== undefined) found.namespace = second;
  if (name !== undefined) found.name = name;
  if (subresource.length > 0) found.subresource = subresource.join("/");
  return found;
}

function isOfNamespace(group: string, word: string): boolean {
  return group === "" && (word === "status" || word === "finalize");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
