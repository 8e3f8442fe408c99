import type { KubeClient, Resource } from "@etcd-operator/kubernetes-client";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly { readonly name: string; readonly preferredVersion: { readonly version: string } }[];
}

/** All kinds that the API server lets us list, watch and delete, each once. */
export async function apiResources(client: KubeClient, signal: AbortSignal): Promise<Resource[]> {
  const { groups } = await client.request<GroupList>("GET", "/apis", { signal });
  const places = groups.map(({ name, preferredVersion: { version } }) => ({
    group: name,
    version,
    path: `/apis/${name}/${version}`,
  }));
  const all = await Promise.all(
    [{ group: "", version: "v1", path: "/api/v1" }, ...places].map(async ({ group, version, path }) => {
      const { resources } = await client.request<ResourceList>("GET", path, { signal });
      return resources
        .filter(({ name, verbs }) => !name.includes("/") && NEEDED_VERBS.every((verb) => verbs.includes(verb)))
        .map(({ name: plural, kind, namespaced }) => ({ group, version, plural, kind, namespaced }));
    }),
  );
  return all.flat();
}

const NEEDED_VERBS = ["list", "watch", "delete"];

/** Whether the API server serves the kind of a definition by now. */
export function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === "Established" && is === "True");
}

/** The kind that a definition brings; undefined when none of its versions is to be served. */
export function definedResource({ spec }: CustomResourceDefinition): Resource | undefined {
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (!version) return undefined;
  const { plural, kind } = spec.names;
  return { group: spec.group, version: version.name, plural, kind, namespaced: spec.scope === "Namespaced" };
}
