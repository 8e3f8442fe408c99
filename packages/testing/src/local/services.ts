import type { Service, ServicePort } from "kubernetes-types/core/v1.d.ts";
import type { Endpoint, EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";

/** A Service as tests need it: what is not said has a plain value. */
export function aService(name: string, spec: Service["spec"] = {}): Service {
  const ports: ServicePort[] = [{ name: "client", protocol: "TCP", port: 2379 }];
  return { metadata: { name, namespace: "ns" }, spec: { clusterIP: "10.240.128.5", ports, ...spec } };
}

export function aSlice(
  service: string,
  endpoints: readonly Endpoint[],
  more: Partial<EndpointSlice> = {},
): EndpointSlice {
  return {
    metadata: { name: `${service}-abcde`, namespace: "ns", labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: [...endpoints],
    ports: [{ name: "client", protocol: "TCP", port: 2379 }],
    ...more,
  };
}

export function anEndpoint(ip: string, more: Partial<Endpoint> = {}): Endpoint {
  return { addresses: [ip], conditions: { ready: true, serving: true, terminating: false }, ...more };
}
