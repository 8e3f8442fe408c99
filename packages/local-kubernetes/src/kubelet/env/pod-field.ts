import type { Container, Pod, ResourceFieldSelector } from "kubernetes-types/core/v1.d.ts";
import { quantityValue } from "../../quantity.ts";
import { KubeletError } from "../kubelet-error.ts";

/** Addresses that the pod's status does not show yet while its containers are being started. */
export interface PodAddresses {
  readonly podIp: string;
  readonly hostIp: string;
}

/** What the downward API gives for a field of the pod. */
export function podField(pod: Pod, fieldPath: string, addresses: PodAddresses): string {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) return pod.metadata?.[map as "labels" | "annotations"]?.[key] ?? "";
  const read = Object.hasOwn(plainFields, fieldPath) ? plainFields[fieldPath] : undefined;
  if (read) return read(pod, addresses);
  throw new KubeletError("invalid-pod", `unsupported fieldPath: ${fieldPath}`);
}

const plainFields: Readonly<Record<string, (pod: Pod, addresses: PodAddresses) => string>> = {
  "metadata.name": (pod) => pod.metadata?.name ?? "",
  "metadata.namespace": (pod) => pod.metadata?.namespace ?? "",
  "metadata.uid": (pod) => pod.metadata?.uid ?? "",
  "metadata.labels": (pod) => linesOf(pod.metadata?.labels),
  "metadata.annotations": (pod) => linesOf(pod.metadata?.annotations),
  "spec.nodeName": (pod) => pod.spec?.nodeName ?? "",
  "spec.serviceAccountName": (pod) => pod.spec?.serviceAccountName ?? "",
  "status.podIP": (_, { podIp }) => podIp,
  "status.podIPs": (_, { podIp }) => podIp,
  "status.hostIP": (_, { hostIp }) => hostIp,
  "status.hostIPs": (_, { hostIp }) => hostIp,
};

function linesOf(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}

/** What a container without a limit may use: the machine. */
export interface MachineSize {
  readonly cpu: number;
  readonly memoryBytes: number;
}

/** What the downward API gives for a container's resources, rounded up to the divisor. */
export function resourceField(container: Container, selector: ResourceFieldSelector, machine: MachineSize): string {
  const [, list, name = ""] = /^(limits|requests)\.(.+)$/.exec(selector.resource) ?? [];
  if (list === undefined) throw new KubeletError("invalid-pod", `unsupported resource: ${selector.resource}`);
  const { limits = {}, requests = {} } = container.resources ?? {};
  const written = list === "limits" ? limits[name] : (requests[name] ?? limits[name]);
  const value = written === undefined ? withoutLimit(list, name, machine) : quantityValue(String(written));
  const divisor = quantityValue(String(selector.divisor ?? "1"));
  return String(Math.ceil(value / (divisor > 0 ? divisor : 1)));
}

function withoutLimit(list: string, name: string, machine: MachineSize): number {
  if (list === "requests") return 0;
  return { cpu: machine.cpu, memory: machine.memoryBytes }[name] ?? 0;
}
