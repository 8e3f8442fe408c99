import type { ServiceEntry } from "../service-entry.ts";
import type { Routes } from "./service-proxy.ts";

/** Where each TCP port of a Service's own address leads; nowhere for a headless one. */
export function routesOf({ clusterIp, ports, endpoints, lastResort }: ServiceEntry): Routes {
  if (clusterIp === undefined) return new Map();
  const usable = endpoints.length > 0 ? endpoints : lastResort;
  return new Map(
    ports
      .filter(({ protocol }) => protocol === "TCP")
      .map(({ name, port }) => [
        `${clusterIp}:${port}`,
        usable.flatMap((endpoint) =>
          // The name of the port is what a Service and its slices have in common: numbers may differ from pod to pod.
          endpoint.ports
            .filter((theirs) => theirs.name === name && theirs.protocol === "TCP")
            .map((theirs) => ({ ip: endpoint.ip, port: theirs.port })),
        ),
      ]),
  );
}
