/** A request to the API server as its own metrics would call it. */
export interface RequestKind {
  readonly verb: "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";
  /** With its subresource, as in "pods/status". */
  readonly resource: string;
}

/** What a request asks for, by its method and its path. */
export function requestKind(method: string, url: string): RequestKind {
  const { pathname, searchParams } = new URL(url, "http://api");
  const [, root = "", ...segments] = pathname.split("/");
  const place = segments.slice(root === "api" ? 1 : 2);
  const [plural = pathname, name, subresource] = place[0] === "namespaces" && place.length > 2 ? place.slice(2) : place;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return { verb: verbOf(method, name !== undefined, searchParams.get("watch")), resource };
}

/** What an idle operator may ask: watches, its Leases, and Secrets by name. */
export function isExpectedOfTheIdle({ verb, resource }: RequestKind): boolean {
  return verb === "watch" || resource === "leases" || (verb === "get" && resource === "secrets");
}

export function isWrite({ verb }: RequestKind): boolean {
  return !["get", "list", "watch"].includes(verb);
}

function verbOf(method: string, isOfOne: boolean, watch: string | null): RequestKind["verb"] {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return "delete";
    default:
      if (isOfOne) return "get";
      return watch === "true" || watch === "1" ? "watch" : "list";
  }
}
