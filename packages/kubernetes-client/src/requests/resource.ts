import type { KubeObject } from "./kube-object.ts";

/** Where the API server keeps a kind, and the type of its objects. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never there: it only lets the type of the objects travel with the value. */
  readonly object?: T;
}

interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export function apiVersionOf({ group, version }: Resource): string {
  return group ? `${group}/${version}` : version;
}

/** The path of a collection, or with a name of one object; without a namespace, a collection spans all of them. */
export function pathOf(resource: Resource, { namespace, name, subresource }: Place = {}): string {
  // An empty name would make the path that of the collection, and a delete that of everything.
  if (name === "") throw new TypeError(`a ${resource.kind} without a name`);
  if (resource.namespaced && name !== undefined && !namespace) {
    throw new TypeError(`${resource.kind} '${name}' lives in a namespace: say in which`);
  }
  const segments = [resource.group ? "apis" : "api", ...apiVersionOf(resource).split("/")];
  if (resource.namespaced && namespace) segments.push("namespaces", namespace);
  segments.push(resource.plural);
  if (name !== undefined) segments.push(name);
  if (subresource) segments.push(...subresource.split("/"));
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");
}
