import { REVIEWS } from "../http/reviews.ts";
import type { Registry } from "../kinds/registry.ts";
import type { Resource } from "../kinds/resource.ts";
import type { JsonObject } from "../kube-object.ts";
import { apiVersionOf } from "../storage/stored-json.ts";

/** GET /api */
export function coreVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** GET /apis */
export function groupList(registry: Registry): JsonObject {
  const groups = groupsOf(registry).filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupOf) };
}

/** GET /apis/<group>; undefined when there is none. */
export function oneGroup(registry: Registry, name: string): JsonObject | undefined {
  const group = groupsOf(registry).find((each) => each.name === name && name !== "");
  return group && { kind: "APIGroup", apiVersion: "v1", ...groupOf(group) };
}

/** GET /apis/<group>/<version>; undefined when there is none. */
export function resourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const found = listingsOf(registry).filter((each) => each.group === group && each.version === version);
  if (found.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: found.flatMap(entriesOf),
  };
}

/** What discovery tells of a resource; reviews have no objects but are listed all the same. */
export type Listing = Pick<
  Resource,
  | "group"
  | "version"
  | "kind"
  | "plural"
  | "singular"
  | "namespaced"
  | "verbs"
  | "shortNames"
  | "categories"
  | "subresources"
  | "isCustom"
>;

export function listingsOf(registry: Registry): Listing[] {
  const reviews = REVIEWS.map(({ group, plural, kind, namespaced }) => ({
    group,
    version: "v1",
    kind,
    plural,
    singular: kind.toLowerCase(),
    namespaced,
    verbs: ["create"],
    shortNames: [],
    categories: [],
    subresources: [],
    isCustom: false,
  }));
  return [...registry.all(), ...reviews];
}

export interface Group {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Every group with its versions, the preferred one first. */
export function groupsOf(registry: Registry): Group[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, version } of listingsOf(registry)) {
    groups.set(group, (groups.get(group) ?? new Set()).add(version));
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(byMaturity) }));
}

function groupOf({ name, versions }: Group): JsonObject {
  const named = versions.map((version) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: named, preferredVersion: named[0] };
}

/** v2 before v1 before v1beta1 before v1alpha1, and anything else after them by name. */
export function byMaturity(one: string, other: string): number {
  const [a, b] = [maturityOf(one), maturityOf(other)];
  for (const [index, part] of a.entries()) {
    const difference = (b[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return one < other ? -1 : 1;
}

function maturityOf(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const stage = match[2] === undefined ? 3 : match[2] === "beta" ? 2 : 1;
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}

function entriesOf(resource: Listing): JsonObject[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    ...subresources.map((subresource) => ({
      name: `${plural}/${subresource.name}`,
      singularName: "",
      namespaced,
      ...(subresource.group && { group: subresource.group, version: subresource.version }),
      kind: subresource.kind,
      verbs: subresource.verbs,
    })),
  ];
}
