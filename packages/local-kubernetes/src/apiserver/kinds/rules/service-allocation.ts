import { invalid as refused } from "../../api-error.ts";
import { type Cause, invalid } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn } from "../../kube-object.ts";
import type { Admission } from "../admission.ts";
import { fill, inside } from "./fill.ts";
import { parseRange, randomIp } from "./ip-range.ts";

const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;
const LAST_NODE_PORT = FIRST_NODE_PORT + NODE_PORTS - 1;

/** Gives the Service an address and ports if it has none; which ones are free, the store decides. */
export function allocate(service: KubeObject, admission: Admission, old?: KubeObject): void {
  const spec = inside(service, "spec");
  if (spec.type === "ExternalName") return;
  if (!spec.clusterIP) spec.clusterIP = randomIp(parseRange(admission.serviceCidr), admission.random);
  spec.clusterIPs = [spec.clusterIP];
  fill(spec, { ipFamilyPolicy: isBare(spec) ? "RequireDualStack" : "SingleStack" });
  if (spec.ipFamilyPolicy === "RequireDualStack") spec.ipFamilies = ["IPv4", "IPv6"];
  else fill(spec, { ipFamilies: ["IPv4"] });
  if (spec.type === "ClusterIP") return;
  const ports = listIn(spec, "ports");
  for (const [index, port] of ports.entries()) {
    const [cause] = nodePortCauses(port, index, ports);
    if (cause) throw refused({ group: "", kind: "Service" }, service.metadata.name ?? "", [cause]);
    // The same port over another protocol is reached at the same place, unless it comes later.
    const twin = old ? undefined : ports.slice(0, index).find((other) => other.port === port.port);
    port.nodePort ||= twin?.nodePort ?? FIRST_NODE_PORT + Math.floor(admission.random() * NODE_PORTS);
  }
}

function nodePortCauses({ port, nodePort }: JsonObject, index: number, ports: readonly JsonObject[]): Cause[] {
  if (typeof nodePort !== "number" || nodePort === 0) return [];
  const field = `spec.ports[${index}].nodePort`;
  if (nodePort < FIRST_NODE_PORT || nodePort > LAST_NODE_PORT) {
    const range = `The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`;
    return [invalid(field, nodePort, `provided port is not in the valid range. ${range}`)];
  }
  const isTaken = ports.slice(0, index).some((other) => other.nodePort === nodePort && other.port !== port);
  return isTaken ? [invalid(field, nodePort, "provided port is already allocated")] : [];
}

// A client that leaves the address out, or applies its manifest again, means to keep it.
export function keepAllocations(service: KubeObject, old: KubeObject): void {
  const [spec, before] = [inside(service, "spec"), objectIn(old, "spec")];
  if (spec.type === "ExternalName" || before.type === "ExternalName") return;
  const { clusterIP, ipFamilies, ipFamilyPolicy } = before;
  fill(spec, { clusterIP, ipFamilies, ipFamilyPolicy });
  if (!spec.clusterIP) spec.clusterIP = clusterIP;
  fill(spec, { clusterIPs: [spec.clusterIP] });
  if (spec.type === "ClusterIP") return;
  for (const port of listIn(spec, "ports")) {
    const same = listIn(before, "ports").find((other) => other.port === port.port && other.protocol === port.protocol);
    if (same?.nodePort) fill(port, { nodePort: same.nodePort });
  }
}

/** Without an address, and without pods of its own. */
export function isBare({ clusterIP, selector }: JsonObject): boolean {
  return clusterIP === "None" && selector === undefined;
}

export function clusterIpsOf(service: KubeObject): string[] {
  const { clusterIP } = objectIn(service, "spec");
  return typeof clusterIP === "string" && clusterIP !== "" && clusterIP !== "None" ? [clusterIP] : [];
}

export function nodePortsOf(service: KubeObject): number[] {
  return listIn(service, "spec", "ports").flatMap(({ nodePort }) => (typeof nodePort === "number" ? [nodePort] : []));
}

export function nodePortKey(port: number): string {
  return `/allocations/nodeports/${port}`;
}

export function outOfRange({ metadata }: KubeObject, clusterIP: string): Error {
  const why = `failed to allocate IP ${clusterIP}: the provided IP (${clusterIP}) is not in the valid range`;
  return refused({ group: "", kind: "Service" }, metadata.name ?? "", [invalid("spec.clusterIPs", [clusterIP], why)]);
}
