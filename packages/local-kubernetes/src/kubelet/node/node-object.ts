import type { Node, NodeCondition, NodeStatus } from "kubernetes-types/core/v1.d.ts";
import type { KubeletConfig } from "../../config.ts";
import type { MachineSize } from "../env/pod-field.ts";
import { apiTime } from "../status/api-time.ts";

export interface NodeFacts {
  readonly config: Pick<KubeletConfig, "nodes" | "nodeName" | "nodeIp" | "nodePodCidr" | "zone" | "kubeletPort">;
  readonly machine: MachineSize;
  readonly arch: string;
  readonly kernelVersion: string;
  readonly bootId: string;
  readonly now: number;
}

const maxPods = 110;

/** This machine, or a part of it, as a node of the cluster. */
export function nodeObject(facts: NodeFacts): Node {
  const { nodeName, nodePodCidr } = facts.config;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: nodeName, labels: nodeLabels(facts) },
    spec: { podCIDR: nodePodCidr, podCIDRs: [nodePodCidr], providerID: providerIdOf(nodeName) },
  };
}

/** The mark of nodes that are ours, as those of a cloud have one. */
export function providerIdOf(nodeName: string): string {
  return `local://${nodeName}`;
}

/** The labels that a node has from the beginning, and gets again when its kubelet starts. */
export function nodeLabels({ config: { nodeName, nodes, zone }, arch }: NodeFacts): Record<string, string> {
  return {
    "kubernetes.io/hostname": nodeName,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": goArch(arch),
    "topology.kubernetes.io/region": "local",
    "topology.kubernetes.io/zone": zone,
    ...(nodeName === nodes[0]?.nodeName && { "node-role.kubernetes.io/control-plane": "" }),
  };
}

/** What the node reports of itself; conditions keep their times while they do not turn. */
export function nodeStatus(facts: NodeFacts, before: NodeStatus = {}): NodeStatus {
  const { config, machine } = facts;
  const size = {
    cpu: String(machine.cpu),
    memory: `${Math.floor(machine.memoryBytes / 1024)}Ki`,
    pods: String(maxPods),
  };
  return {
    ...before,
    capacity: size,
    allocatable: size,
    addresses: [
      { type: "InternalIP", address: config.nodeIp },
      { type: "Hostname", address: config.nodeName },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: config.kubeletPort } },
    nodeInfo: {
      ...{ machineID: facts.bootId, systemUUID: facts.bootId, bootID: facts.bootId, operatingSystem: "linux" },
      ...{ architecture: goArch(facts.arch), kernelVersion: facts.kernelVersion, osImage: "Linux" },
      ...{ containerRuntimeVersion: "local://1.0.0", kubeletVersion: "v1.34.0", kubeProxyVersion: "" },
    },
    conditions: conditions(facts.now, before.conditions ?? []),
  };
}

function conditions(now: number, before: readonly NodeCondition[]): NodeCondition[] {
  const verdicts = [
    {
      type: "MemoryPressure",
      status: "False",
      reason: "KubeletHasSufficientMemory",
      message: "kubelet has sufficient memory available",
    },
    {
      type: "DiskPressure",
      status: "False",
      reason: "KubeletHasNoDiskPressure",
      message: "kubelet has no disk pressure",
    },
    {
      type: "PIDPressure",
      status: "False",
      reason: "KubeletHasSufficientPID",
      message: "kubelet has sufficient PID available",
    },
    { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  ];
  return verdicts.map((verdict) => {
    const last = before.find(({ type }) => type === verdict.type);
    const since = last?.status === verdict.status ? last.lastTransitionTime : undefined;
    return { ...verdict, lastHeartbeatTime: apiTime(now), lastTransitionTime: since ?? apiTime(now) };
  });
}

function goArch(arch: string): string {
  return arch === "x64" ? "amd64" : arch;
}
