import { type JsonObject, type KubeObject, listIn, objectIn, textIn } from "../kube-object.ts";
import { ageColumn, column, nameColumn, wide } from "./column.ts";
import { pairs } from "./workload-columns.ts";

export const serviceColumns = [
  nameColumn,
  column("Type", (service) => textIn(service, "spec", "type")),
  column("Cluster-IP", (service) => textIn(service, "spec", "clusterIP") || "<none>"),
  column("External-IP", externalIp),
  column("Port(s)", servicePorts),
  ageColumn,
  wide("Selector", (service) => pairs(objectIn(service, "spec", "selector"))),
];

export const endpointsColumns = [nameColumn, column("Endpoints", endpoints), ageColumn];

export const endpointSliceColumns = [
  nameColumn,
  column("AddressType", (slice) => textIn(slice, "addressType")),
  column("Ports", (slice) =>
    shortened(
      listIn(slice, "ports").map(({ port }) => String(port ?? "*")),
      "<unset>",
    ),
  ),
  column("Endpoints", (slice) =>
    shortened(
      listIn(slice, "endpoints").flatMap(({ addresses }) => addresses as string[]),
      "<unset>",
    ),
  ),
  ageColumn,
];

function externalIp(service: KubeObject): string {
  const spec = objectIn(service, "spec");
  const external = Array.isArray(spec.externalIPs) ? spec.externalIPs.join(",") : "";
  if (spec.type === "ExternalName") return textIn(spec, "externalName");
  if (spec.type !== "LoadBalancer") return external || "<none>";
  const ingress = listIn(service, "status", "loadBalancer", "ingress").map(({ ip, hostname }) => ip ?? hostname);
  return [...ingress, external].filter(Boolean).join(",") || "<pending>";
}

function servicePorts(service: KubeObject): string {
  const shown = ({ port, nodePort, protocol }: JsonObject) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`;
  return listIn(service, "spec", "ports").map(shown).join(",") || "<none>";
}

function endpoints(object: KubeObject): string {
  const all = listIn(object, "subsets").flatMap((subset) => {
    const ports = listIn(subset, "ports");
    const addresses = listIn(subset, "addresses");
    if (ports.length === 0) return addresses.map(({ ip }) => String(ip));
    return ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`));
  });
  return shortened(all, "<none>");
}

const SHOWN = 3;

function shortened(items: readonly string[], none: string): string {
  if (items.length === 0) return none;
  const more = items.length > SHOWN ? ` + ${items.length - SHOWN} more...` : "";
  return `${items.slice(0, SHOWN).join(",")}${more}`;
}
