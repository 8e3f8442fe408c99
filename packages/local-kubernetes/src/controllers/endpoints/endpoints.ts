import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EndpointAddress, EndpointSubset, Endpoints, Pod, Service } from "kubernetes-types/core/v1.d.ts";
import { isReady } from "../pod-facts.ts";
import { hostnameIn, inEndpoints, portsOn } from "./endpoint-slices.ts";

/** The Endpoints object that a Service should have, for those who do not read EndpointSlices yet. */
export function endpointsOf(service: Stored<Service>, pods: readonly Stored<Pod>[]): Endpoints {
  const { name, namespace = "", labels } = service.metadata;
  const headless = service.spec?.clusterIP === "None" && { "service.kubernetes.io/headless": "" };
  const managed = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
  const subsets = subsetsOf(service, pods);
  return {
    metadata: { name, namespace, labels: { ...labels, ...headless, ...managed } },
    ...(subsets.length > 0 && { subsets }),
  };
}

function subsetsOf(service: Stored<Service>, pods: readonly Stored<Pod>[]): EndpointSubset[] {
  const evenNotReady = service.spec?.publishNotReadyAddresses ?? false;
  const byPorts = new Map<string, { ready: EndpointAddress[]; notReady: EndpointAddress[] }>();
  for (const pod of inEndpoints(pods)) {
    // Unlike slices they have no word for pods that are going.
    if (pod.metadata.deletionTimestamp !== undefined && !evenNotReady) continue;
    const key = JSON.stringify(portsOn(pod, service));
    const group = byPorts.get(key) ?? { ready: [], notReady: [] };
    (evenNotReady || isReady(pod) ? group.ready : group.notReady).push(address(pod, service));
    byPorts.set(key, group);
  }
  return [...byPorts].map(([key, { ready, notReady }]) => ({
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ports: ports(key),
  }));
}

function ports(key: string): NonNullable<EndpointSubset["ports"]> {
  const all = JSON.parse(key) as { name: string; protocol: string; port: number }[];
  return all.map(({ name, ...port }) => (name === "" ? port : { name, ...port }));
}

function address(pod: Stored<Pod>, service: Stored<Service>): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameIn(pod, service);
  return {
    ip: pod.status?.podIP ?? "",
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: "Pod", name, ...(namespace !== undefined && { namespace }), uid },
  };
}
