import { createHash } from "node:crypto";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod, Service, ServicePort } from "kubernetes-types/core/v1.d.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";
import { isFinished, isReady } from "../pod-facts.ts";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const US = "endpointslice-controller.k8s.io";

/**
 * The EndpointSlices that a Service should have: one for each set of port numbers that its pods resolve the ports to.
 */
export function endpointSlices(service: Stored<Service>, pods: readonly Stored<Pod>[]): EndpointSlice[] {
  const byPorts = new Map<string, { ports: EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of inEndpoints(pods)) {
    const ports = portsOn(pod, service);
    const key = JSON.stringify(ports);
    const group = byPorts.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpoint(pod, service));
    byPorts.set(key, group);
  }
  // Without pods there still is one, which shows that the Service was reconciled.
  if (byPorts.size === 0) byPorts.set("", { ports: [], endpoints: [] });
  return [...byPorts.values()].map(({ ports, endpoints }) => slice(service, ports, endpoints));
}

/** Pods that have an address and may still answer; those that are going are told apart by their conditions. */
export function inEndpoints(pods: readonly Stored<Pod>[]): Stored<Pod>[] {
  return pods
    .filter((pod) => Boolean(pod.status?.podIP) && !isFinished(pod))
    .sort((one, other) => one.metadata.name.localeCompare(other.metadata.name));
}

/** The ports of a Service as numbers on one pod; a named one that the pod does not have is left out. */
export function portsOn(pod: Pod, { spec }: Service): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = numberOn(pod, port);
    if (number === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = port;
    return [{ name, protocol, port: number, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function numberOn({ spec }: Pod, { port, targetPort, protocol = "TCP" }: ServicePort): number | undefined {
  if (typeof targetPort !== "string") return targetPort || port;
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.find((theirs) => theirs.name === targetPort && (theirs.protocol ?? "TCP") === protocol)?.containerPort;
}

/** The pod's own name below that of its Service, for pods that ask for one. */
export function hostnameIn(pod: Stored<Pod>, service: Stored<Service>): string | undefined {
  return pod.spec?.subdomain === service.metadata.name ? pod.spec.hostname || undefined : undefined;
}

function endpoint(pod: Stored<Pod>, service: Stored<Service>): Endpoint {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isReady(pod);
  const ready = Boolean(service.spec?.publishNotReadyAddresses) || (serving && !terminating);
  const hostname = hostnameIn(pod, service);
  const { name, namespace, uid } = pod.metadata;
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: "Pod", name, ...(namespace !== undefined && { namespace }), uid },
  };
}

function slice(service: Stored<Service>, ports: EndpointPort[], endpoints: Endpoint[]): EndpointSlice {
  const { name, namespace = "", uid, labels } = service.metadata;
  // From what it holds, not by chance: trying again after a lost answer finds the slice rather than makes a second.
  const suffix = createHash("sha256").update(JSON.stringify(ports)).digest("hex").slice(0, 5);
  const owner = { apiVersion: "v1", kind: "Service", name, uid, controller: true, blockOwnerDeletion: true };
  return {
    metadata: {
      name: `${name}-${suffix}`,
      namespace,
      labels: {
        ...labels,
        ...(service.spec?.clusterIP === "None" && { "service.kubernetes.io/headless": "" }),
        [MANAGED_BY]: US,
        [SERVICE_NAME]: name,
      },
      ownerReferences: [owner],
    },
    addressType: "IPv4",
    endpoints,
    ports,
  };
}
