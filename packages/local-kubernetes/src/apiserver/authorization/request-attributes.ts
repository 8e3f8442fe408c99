import { parsePath } from "../http/request-path.ts";
import { type RequestUrl, wantsWatch } from "../http/request-url.ts";
import type { Attributes } from "./policy-rule.ts";

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** What a request asks for, in the words of rules. */
export function requestAttributes(method: string, { pathname, searchParams }: RequestUrl): Attributes {
  const path = parsePath(pathname);
  if (path.kind !== "resource") return { kind: "path", verb: method.toLowerCase(), path: pathname };
  const { group, plural, subresource = "" } = path;
  // Whatever the method: what is behind such a path only ever watches.
  const verb = path.isWatch ? "watch" : (VERBS[method] ?? "");
  const ofCollection = path.name === undefined ? collectionVerb(verb, searchParams) : verb;
  // A namespace is in itself.
  const namespace = path.namespace ?? (group === "" && plural === "namespaces" ? path.name : undefined) ?? "";
  return {
    kind: "resource",
    verb: ofCollection,
    group,
    resource: plural,
    // What follows a subresource, as with a proxy, is its own affair.
    subresource: subresource.split("/")[0] ?? "",
    namespace,
    name: path.name ?? selectedName(ofCollection, searchParams),
  };
}

function collectionVerb(verb: string, query: URLSearchParams): string {
  if (verb === "delete") return "deletecollection";
  if (verb !== "get") return verb;
  return wantsWatch(query) ? "watch" : "list";
}

// A list by name asks for that one object, and a rule with its name is enough.
function selectedName(verb: string, query: URLSearchParams): string {
  if (verb !== "list" && verb !== "watch" && verb !== "deletecollection") return "";
  const [, name = ""] = /(?:^|,)metadata\.name==?([^,!=]+)(?:,|$)/.exec(query.get("fieldSelector") ?? "") ?? [];
  return name;
}
