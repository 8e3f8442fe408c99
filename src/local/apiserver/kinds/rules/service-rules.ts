import { invalid as refused } from "../../api-error.ts";
import { type Cause, duplicate, invalid, required } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn } from "../../kube-object.ts";
import { dns1123LabelErrors } from "../../meta/names.ts";
import type { Admission } from "../admission.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { contains, parseRange, randomIp } from "./ip-range.ts";
import { oneOf, portNumberCauses } from "./pod-validation.ts";

const FIRST_NODE_PORT = 30_000;
const NODE_PORTS = 2768;
const AFFINITY_SECONDS = 10_800;

export const serviceRules: KindRules = {
  warnings: (service) => {
    const { clusterIP, sessionAffinity } = objectIn(service, "spec");
    const isIgnored = clusterIP === "None" && sessionAffinity === "ClientIP";
    return isIgnored ? ["spec.SessionAffinity is ignored for headless services"] : [];
  },

  applyDefaults(service) {
    const spec = inside(service, "spec");
    fill(spec, { sessionAffinity: "None", type: "ClusterIP" });
    if (spec.sessionAffinity === "ClientIP") {
      fill(inside(inside(spec, "sessionAffinityConfig"), "clientIP"), { timeoutSeconds: AFFINITY_SECONDS });
    }
    for (const port of listIn(spec, "ports")) fill(port, { protocol: "TCP", targetPort: port.port });
    if (spec.type === "ExternalName") return;
    fill(spec, { internalTrafficPolicy: "Cluster" });
    if (spec.type !== "ClusterIP") fill(spec, { externalTrafficPolicy: "Cluster" });
    if (spec.type === "LoadBalancer") fill(spec, { allocateLoadBalancerNodePorts: true });
  },

  prepareCreate: (service) => {
    service.status = { loadBalancer: {} };
  },

  prepareUpdate: keepAllocations,

  validate: serviceCauses,
  allocate,

  claims: (service) => [
    ...clusterIpsOf(service).map((ip) => `/allocations/clusterips/${ip}`),
    ...nodePortsOf(service).map(nodePortKey),
  ],

  claimRefused(service, key) {
    const ports = listIn(service, "spec", "ports").map(({ nodePort }) => Number(nodePort));
    const index = ports.findIndex((port) => nodePortKey(port) === key);
    if (index >= 0) return invalid(`spec.ports[${index}].nodePort`, ports[index], "provided port is already allocated");
    const [ip] = clusterIpsOf(service);
    return invalid("spec.clusterIPs", ip ? [ip] : [], `failed to allocate IP ${ip}: provided IP is already allocated`);
  },

  async admit(service, { serviceCidr }, old) {
    const { clusterIP } = objectIn(service, "spec");
    if (old || typeof clusterIP !== "string" || clusterIP === "" || clusterIP === "None") return;
    if (!contains(parseRange(serviceCidr), clusterIP)) throw outOfRange(service, clusterIP);
  },
};

/** Gives the Service an address and ports if it has none; which ones are free, the store decides. */
function allocate(service: KubeObject, admission: Admission): void {
  const spec = inside(service, "spec");
  if (spec.type === "ExternalName") return;
  if (!spec.clusterIP) spec.clusterIP = randomIp(parseRange(admission.serviceCidr), admission.random);
  spec.clusterIPs = [spec.clusterIP];
  fill(spec, { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
  if (spec.type === "ClusterIP") return;
  for (const port of listIn(spec, "ports")) {
    if (!port.nodePort) port.nodePort = FIRST_NODE_PORT + Math.floor(admission.random() * NODE_PORTS);
  }
}

// A client that leaves the address out, or applies its manifest anew, means to keep it.
function keepAllocations(service: KubeObject, old: KubeObject): void {
  const [spec, before] = [inside(service, "spec"), objectIn(old, "spec")];
  if (spec.type === "ExternalName" || before.type === "ExternalName") return;
  fill(spec, { clusterIP: before.clusterIP });
  if (!spec.clusterIP) spec.clusterIP = before.clusterIP;
  fill(spec, { clusterIPs: [spec.clusterIP] });
  if (spec.type === "ClusterIP") return;
  for (const port of listIn(spec, "ports")) {
    const same = listIn(before, "ports").find((other) => other.port === port.port && other.protocol === port.protocol);
    if (same?.nodePort) fill(port, { nodePort: same.nodePort });
  }
}

function clusterIpsOf(service: KubeObject): string[] {
  const { clusterIP } = objectIn(service, "spec");
  return typeof clusterIP === "string" && clusterIP !== "" && clusterIP !== "None" ? [clusterIP] : [];
}

function nodePortsOf(service: KubeObject): number[] {
  return listIn(service, "spec", "ports").flatMap(({ nodePort }) => (typeof nodePort === "number" ? [nodePort] : []));
}

function nodePortKey(port: number): string {
  return `/allocations/nodeports/${port}`;
}

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function serviceCauses(service: KubeObject, old?: KubeObject): Cause[] {
  const spec = objectIn(service, "spec");
  const ports = listIn(spec, "ports");
  const needsPorts = spec.type !== "ExternalName" && spec.clusterIP !== "None";
  return [
    ...oneOf("spec.type", spec.type, TYPES),
    ...(needsPorts && ports.length === 0 ? [required("spec.ports")] : []),
    ...ports.flatMap((port, index) => portCauses(port, index, ports)),
    ...oneOf("spec.sessionAffinity", spec.sessionAffinity, ["ClientIP", "None"]),
    ...(spec.type === "ExternalName" && !spec.externalName ? [required("spec.externalName")] : []),
    ...(old ? movedCauses(spec, objectIn(old, "spec")) : []),
  ];
}

function portCauses(port: JsonObject, index: number, ports: readonly JsonObject[]): Cause[] {
  const at = `spec.ports[${index}]`;
  const earlier = ports.slice(0, index);
  const isTwin = earlier.some((other) => other.port === port.port && other.protocol === port.protocol);
  return [
    ...(ports.length > 1 && !port.name ? [required(`${at}.name`)] : []),
    ...(typeof port.name === "string" && port.name !== ""
      ? dns1123LabelErrors(port.name).map((error) => invalid(`${at}.name`, port.name, error))
      : []),
    ...(port.name && earlier.some((other) => other.name === port.name) ? [duplicate(`${at}.name`, port.name)] : []),
    ...portNumberCauses(`${at}.port`, port.port),
    ...oneOf(`${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]),
    ...(isTwin ? [duplicate(at, { port: port.port, protocol: port.protocol })] : []),
  ];
}

function outOfRange({ metadata }: KubeObject, clusterIP: string): Error {
  const why = `failed to allocate IP ${clusterIP}: the provided IP (${clusterIP}) is not in the valid range`;
  return refused({ group: "", kind: "Service" }, metadata.name ?? "", [invalid("spec.clusterIPs", [clusterIP], why)]);
}

function movedCauses(spec: JsonObject, before: JsonObject): Cause[] {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return [];
  if (!before.clusterIP || spec.clusterIP === before.clusterIP) return [];
  return [invalid("spec.clusterIPs[0]", [spec.clusterIP], "may not change once set")];
}
