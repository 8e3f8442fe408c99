export type Json = Record<string, unknown>;

/** What goes along with a request. */
export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: string }
  /** What the server has at this path, with a merge patch on top: read, change, write back; of `otherwise` where it has nothing. */
  | { readonly kind: "edited"; readonly at: string; readonly edits: Json; readonly otherwise?: Json };

/**
 * One request as it goes to both servers. In its path, headers and body `@{ns}` stands for the namespace of the story, and
 * `@{rv}`, `@{uid}`, `@{start}`, `@{continue}` for what the server at hand has given out so far.
 */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** The answer is a stream, which is read until the server ends it. */
  readonly isWatch?: boolean;
}

/** Requests that build on each other, in a namespace of their own. */
export interface Story {
  readonly seed: number;
  readonly about: string;
  readonly requests: readonly Request[];
}

/** Replaces each `@{name}` by what it stands for; an unknown one is left as "none". */
export function filledIn<T>(value: T, known: ReadonlyMap<string, string>): T {
  if (typeof value === "string") {
    return value.replaceAll(/@\{(\w+)\}/g, (_, name: string) => known.get(name) ?? "none") as T;
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, known)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [filledIn(key, known), filledIn(item, known)]),
  ) as T;
}

/** One line to read, and to repeat by hand. */
export function inWords({ method, path, contentType, headers = {}, body }: Request): string {
  const heads = Object.entries({ ...(contentType && { "content-type": contentType }), ...headers });
  const head = heads.map(([name, value]) => ` -H '${name}: ${value}'`).join("");
  return `${method} ${path}${head}${body ? ` ${bodyInWords(body)}` : ""}`;
}

function bodyInWords(body: Body): string {
  switch (body.kind) {
    case "json":
      return JSON.stringify(body.value);
    case "text":
      return JSON.stringify(body.text);
    case "edited":
      return `<${body.at} with ${JSON.stringify(body.edits)}>`;
  }
}
