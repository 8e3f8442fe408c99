import type { Service } from "kubernetes-types/core/v1.d.ts";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";

/** What a Service stands for right now: its own address, and those behind it. */
export interface ServiceEntry {
  readonly namespace: string;
  readonly name: string;
  /** Undefined for a headless Service. */
  readonly clusterIp: string | undefined;
  readonly ports: readonly ServicePort[];
  /** Those that are ready. */
  readonly endpoints: readonly ServiceEndpoint[];
  /** Those that are going but still serve: as kube-proxy, better than none when none is ready. */
  readonly lastResort: readonly ServiceEndpoint[];
}

export interface ServicePort {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

export interface ServiceEndpoint {
  readonly ip: string;
  /** The first label of its own name below the Service's: its host name, or its address with dashes. */
  readonly label: string;
  readonly hasHostname: boolean;
  /** Where the Service's ports lead on this endpoint. */
  readonly ports: readonly ServicePort[];
}

/** Undefined for what has neither addresses nor endpoints, such as a Service of type ExternalName. */
export function serviceEntry(service: Service, slices: readonly EndpointSlice[]): ServiceEntry | undefined {
  const { metadata, spec } = service;
  if (!spec?.clusterIP) return undefined;
  return {
    namespace: metadata?.namespace ?? "",
    name: metadata?.name ?? "",
    clusterIp: spec.clusterIP === "None" ? undefined : spec.clusterIP,
    ports: (spec.ports ?? []).map(({ name = "", protocol = "TCP", port }) => ({ name, protocol, port })),
    endpoints: endpointsIn(slices, ({ ready = true }) => ready || (spec.publishNotReadyAddresses ?? false)),
    lastResort: endpointsIn(slices, ({ ready = true, serving, terminating }) => !ready && !!serving && !!terminating),
  };
}

type Conditions = NonNullable<EndpointSlice["endpoints"][number]["conditions"]>;

function endpointsIn(
  slices: readonly EndpointSlice[],
  isWanted: (conditions: Conditions) => boolean,
): ServiceEndpoint[] {
  return slices
    .filter(({ addressType }) => addressType === "IPv4")
    .flatMap(({ endpoints, ports }) => {
      const known = (ports ?? []).flatMap(({ name = "", protocol = "TCP", port }) =>
        port === undefined ? [] : [{ name, protocol, port }],
      );
      return (endpoints ?? [])
        .filter(({ conditions }) => isWanted(conditions ?? {}))
        .flatMap(({ addresses, hostname }) =>
          addresses.map((ip) => ({
            ip,
            label: (hostname || ip.replaceAll(".", "-")).toLowerCase(),
            hasHostname: Boolean(hostname),
            ports: known,
          })),
        );
    });
}
