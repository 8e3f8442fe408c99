import type { KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { ConfigMap, Secret } from "kubernetes-types/core/v1.d.ts";

interface Names {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
}

export interface PodObjects {
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
}

/** Reads the Secrets and ConfigMaps that a pod names, from the API server itself; what is not there is left out. */
export async function readPodObjects(
  client: Pick<KubeClient, "get">,
  namespace: string,
  names: Names,
): Promise<PodObjects> {
  const [secrets, configMaps] = await Promise.all([
    readAll(client, resources.secrets, namespace, names.secrets),
    readAll(client, resources.configMaps, namespace, names.configMaps),
  ]);
  return { secrets, configMaps };
}

async function readAll<T extends KubeObject>(
  client: Pick<KubeClient, "get">,
  resource: Resource<T>,
  namespace: string,
  names: ReadonlySet<string>,
): Promise<Map<string, Stored<T>>> {
  const found = await Promise.all([...names].map((name) => readOne(client, resource, namespace, name)));
  return new Map(found.flatMap((object) => (object ? [[object.metadata.name, object] as const] : [])));
}

async function readOne<T extends KubeObject>(
  client: Pick<KubeClient, "get">,
  resource: Resource<T>,
  namespace: string,
  name: string,
) {
  try {
    return await client.get(resource, { namespace, name });
  } catch (error) {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  }
}
