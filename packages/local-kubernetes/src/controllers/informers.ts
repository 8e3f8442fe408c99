import type { KubeClient, KubeObject, Resource } from "@etcd-operator/kubernetes-client";
import { Informer, resources, withoutManagedFields } from "@etcd-operator/kubernetes-client";

export type Informers = ReturnType<typeof informersOf>;

/** One informer for each kind that a controller reads, shared by all of them. */
export function informersOf(client: KubeClient, onError: (error: unknown) => void) {
  const of = <T extends KubeObject>(resource: Resource<T>) =>
    new Informer<T>({ client, resource, onError, transform: withoutManagedFields });
  return {
    clusterRoles: of(resources.clusterRoles),
    configMaps: of(resources.configMaps),
    cronJobs: of(resources.cronJobs),
    customResourceDefinitions: of(resources.customResourceDefinitions),
    deployments: of(resources.deployments),
    endpoints: of(resources.endpoints),
    endpointSlices: of(resources.endpointSlices),
    jobs: of(resources.jobs),
    namespaces: of(resources.namespaces),
    nodes: of(resources.nodes),
    persistentVolumeClaims: of(resources.persistentVolumeClaims),
    persistentVolumes: of(resources.persistentVolumes),
    podDisruptionBudgets: of(resources.podDisruptionBudgets),
    pods: of(resources.pods),
    replicaSets: of(resources.replicaSets),
    serviceAccounts: of(resources.serviceAccounts),
    services: of(resources.services),
    storageClasses: of(resources.storageClasses),
  };
}

/** The informer of a kind, where there is one already. */
export function sharedInformer(informers: Informers, { group, plural }: Resource): Informer<KubeObject> | undefined {
  const names = Object.keys(informers) as (keyof Informers)[];
  const name = names.find((it) => resources[it].group === group && resources[it].plural === plural);
  // The same at run time: an informer of pods is one of objects, to code that only listens.
  return name && (informers[name] as unknown as Informer<KubeObject>);
}
