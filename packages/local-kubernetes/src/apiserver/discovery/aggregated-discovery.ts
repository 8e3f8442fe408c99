import type { Registry } from "../kinds/registry.ts";
import type { Subresource } from "../kinds/resource.ts";
import type { JsonObject } from "../kube-object.ts";
import { type Group, groupsOf, type Listing, listingsOf } from "./discovery.ts";

export const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/**
 * Everything that kubectl would otherwise ask for group by group: GET /api and /apis with an Accept header of their
 * own.
 */
export function aggregatedDiscovery(registry: Registry, which: "core" | "groups"): JsonObject {
  const listings = listingsOf(registry);
  const groups = groupsOf(registry).filter(({ name }) => (name === "") === (which === "core"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((group) => groupDiscovery(group, listings)),
  };
}

function groupDiscovery({ name, versions }: Group, listings: readonly Listing[]): JsonObject {
  return {
    metadata: { ...(name !== "" && { name }) },
    versions: versions.map((version) => ({
      version,
      resources: listings.filter((each) => each.group === name && each.version === version).map(resourceDiscovery),
      freshness: "Current",
    })),
  };
}

function resourceDiscovery(resource: Listing): JsonObject {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: responseKind(resource, resource),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((subresource) => ({
        subresource: subresource.name,
        responseKind: responseKind(resource, subresource),
        verbs: subresource.verbs,
      })),
    }),
  };
}

// Built-in kinds leave out the group and version that they are listed under.
function responseKind(resource: Listing, { kind, group, version }: Listing | Subresource): JsonObject {
  const isOwn = group === undefined || group === resource.group;
  if (!isOwn) return { group, version, kind };
  return resource.isCustom
    ? { group: resource.group, version: resource.version, kind }
    : { group: "", version: "", kind };
}
