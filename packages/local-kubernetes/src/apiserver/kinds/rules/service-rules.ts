import { type Cause, duplicate, forbidden, invalid, required } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn } from "../../kube-object.ts";
import { dns1123LabelErrors } from "../../meta/names.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { contains, parseRange } from "./ip-range.ts";
import {
  allocate,
  clusterIpsOf,
  isBare,
  keepAllocations,
  nodePortKey,
  nodePortsOf,
  outOfRange,
} from "./service-allocation.ts";
import { oneOf, portNumberCauses } from "./validation/pod-validation.ts";

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
    ...new Set(nodePortsOf(service).map(nodePortKey)),
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

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function serviceCauses(service: KubeObject, old?: KubeObject): Cause[] {
  const spec = objectIn(service, "spec");
  const ports = listIn(spec, "ports");
  const needsPorts = spec.type !== "ExternalName" && spec.clusterIP !== "None";
  return [
    ...oneOf("spec.type", spec.type, TYPES),
    ...familyCauses(spec),
    ...(needsPorts && ports.length === 0 ? [required("spec.ports")] : []),
    ...ports.flatMap((port, index) => portCauses(port, index, ports)),
    ...(spec.type === "ClusterIP" ? ports.flatMap(nodePortCauses) : []),
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
    ...portNumberCauses(`${at}.port`, port.port ?? 0),
    ...(typeof port.targetPort === "string" ? [] : portNumberCauses(`${at}.targetPort`, port.targetPort ?? 0)),
    ...oneOf(`${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]),
    ...(isTwin ? [duplicate(at, { port: port.port, protocol: port.protocol })] : []),
  ];
}

function nodePortCauses({ nodePort }: JsonObject, index: number): Cause[] {
  return nodePort ? [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")] : [];
}

/**
 * There is one family of addresses. A Service without any, and without pods of its own, may claim both all the same.
 */
function familyCauses(spec: JsonObject): Cause[] {
  if (spec.ipFamilyPolicy !== "RequireDualStack" || isBare(spec)) return [];
  const why = "this cluster is not configured for dual-stack services";
  return [invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, why)];
}

function movedCauses(spec: JsonObject, before: JsonObject): Cause[] {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return [];
  if (!before.clusterIP || spec.clusterIP === before.clusterIP) return [];
  return [invalid("spec.clusterIPs[0]", [spec.clusterIP], "may not change once set")];
}
