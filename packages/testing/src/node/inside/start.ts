import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { type ControlPlane, startControlPlane } from "../../kube/control-plane/control-plane.ts";
import { openWorkspace, type Workspace } from "../../kube/control-plane/workspace.ts";
import { kubectlOrThrow } from "../../kube/kubectl.ts";
import { until } from "../../until.ts";
import { nodePrograms, runtimePrograms } from "../binaries.ts";
import { writeImageArchive } from "../images/image-archive.ts";
import { corednsImage, pauseImage, toolsImage } from "../images/images.ts";
import { API_SERVICE_IP, type NodeAddress, nodeAddresses, SERVICE_CIDR } from "./addresses.ts";
import { type Containerd, startContainerd } from "./containerd.ts";
import { dnsObjects } from "./dns.ts";
import { startKubeProxy } from "./kube-proxy.ts";
import { startKubelet } from "./kubelet.ts";
import type { Order } from "./order.ts";
import { startProvisioner, storageClass } from "./provisioner.ts";

export interface Started {
  readonly plane: ControlPlane;
  readonly containerds: readonly Containerd[];
  readonly seconds: Readonly<Record<string, number>>;
}

/** Starts a control plane and its nodes, in namespaces that are set up, and waits until pods run and names resolve. */
export async function startCluster(order: Order): Promise<Started> {
  const started = performance.now();
  const seconds: Record<string, number> = {};
  const reached = (what: string) => {
    seconds[what] = Math.round((performance.now() - started) / 100) / 10;
  };
  const nodes = nodeAddresses(order.nodes);
  const workspace = await openWorkspace("nodes-");
  const [plane, containerds] = await Promise.all([
    startPlane(nodes).finally(() => reached("control plane")),
    startContainerds(order, workspace, nodes).finally(() => reached("containerd and images")),
  ]);
  const client = new KubeClient(await connectionFromKubeconfig(plane.facts.adminKubeconfig), {
    userAgent: "real-node",
  });
  await startPrograms(workspace, plane, nodes);
  await Promise.all(nodes.map((node, at) => startOneKubelet(order, workspace, plane, node, containerds[at])));
  await createObjects(plane, nodes[0].name);
  startProvisioner(client, join(order.directory, "volumes"), (line) => process.stderr.write(`${line}\n`));
  const died = Promise.race(workspace.processes.map(({ diedEarly }) => diedEarly));
  await untilReady(client, nodes, died);
  reached("nodes ready");
  await untilNamesResolve(client, died);
  reached("names");
  return { plane, containerds, seconds };
}

async function startPlane(nodes: readonly [NodeAddress, ...NodeAddress[]]): Promise<ControlPlane> {
  const [{ ip }] = nodes;
  const plane = await startControlPlane({
    reachableAt: [ip, API_SERVICE_IP],
    apiServerFlags: [
      "--bind-address=0.0.0.0",
      `--advertise-address=${ip}`,
      "--endpoint-reconciler-type=lease",
      `--service-cluster-ip-range=${SERVICE_CIDR}`,
      "--authorization-mode=Node",
      "--enable-admission-plugins=NodeRestriction",
      "--kubelet-preferred-address-types=InternalIP",
    ],
  });
  if (plane.facts.hasControllerManager) return plane;
  throw new Error("KUBEBUILDER_ASSETS holds no kube-controller-manager: unset it, so that one is built with Go");
}

async function startContainerds(
  { directory }: Order,
  workspace: Workspace,
  nodes: readonly NodeAddress[],
): Promise<Containerd[]> {
  const programs = await runtimePrograms();
  const writing = writeBaseImages(directory);
  const start = async (node: NodeAddress) => {
    const containerd = await startContainerd({ workspace, programs, folder: join(directory, node.name), node });
    for (const archive of await writing) await containerd.load(archive);
    return containerd;
  };
  return Promise.all(nodes.map(start));
}

async function writeBaseImages(directory: string): Promise<string[]> {
  const makers = { pause: pauseImage, coredns: corednsImage, tools: toolsImage };
  return Promise.all(
    Object.entries(makers).map(async ([name, make]) => {
      const file = join(directory, `${name}.tar`);
      await writeImageArchive(file, await make());
      return file;
    }),
  );
}

async function startPrograms(
  workspace: Workspace,
  plane: ControlPlane,
  [{ name }]: readonly [NodeAddress, ...unknown[]],
) {
  const { scheduler, kubeProxy } = await nodePrograms();
  const kubeconfigOf = async (program: string) => {
    const pair = await plane.issue(program, { subject: `CN=system:${program}`, usage: "client" });
    const { server, ca } = plane.facts;
    const identity = { kind: "certificate", ...pair } as const;
    return writeKubeconfig(join(workspace.directory, `${program}.kubeconfig`), { server, ca, identity });
  };
  const ofScheduler = await kubeconfigOf("kube-scheduler");
  workspace.run("kube-scheduler", scheduler, [
    `--kubeconfig=${ofScheduler}`,
    "--secure-port=0",
    "--leader-elect=false",
  ]);
  const [runtime, kubeconfig] = [await runtimePrograms(), await kubeconfigOf("kube-proxy")];
  await startKubeProxy({ workspace, program: kubeProxy, runtime, kubeconfig, nodeName: name });
}

async function startOneKubelet(
  { directory, cgroup }: Order,
  workspace: Workspace,
  plane: ControlPlane,
  node: NodeAddress,
  containerd: Containerd | undefined,
): Promise<void> {
  if (!containerd) throw new Error(`${node.name} has no container runtime`);
  const folder = join(directory, node.name);
  await mkdir(folder, { recursive: true });
  const [{ kubelet: program }, runtime] = [await nodePrograms(), await runtimePrograms()];
  const place = { folder, cgroup: `${cgroup}/${node.name}`, runtimeSocket: containerd.socket };
  await startKubelet({ workspace, plane, program, runtime, node, ...place });
}

async function createObjects({ facts }: ControlPlane, nodeName: string): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: [storageClass, ...dnsObjects(nodeName)] };
  await kubectlOrThrow(facts.adminKubeconfig, ["create", "-f", "-"], { input: JSON.stringify(list) });
}

async function untilReady(client: KubeClient, nodes: readonly NodeAddress[], unless: Promise<never>): Promise<void> {
  const areReady = async () => {
    const { items } = await client.list(resources.nodes);
    const ready = items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: s }) => type === "Ready" && s === "True"),
    );
    return ready.length === nodes.length;
  };
  await until(areReady, { what: "the nodes to be ready", timeoutMs: 120_000, everyMs: 200, unless });
}

async function untilNamesResolve(client: KubeClient, unless: Promise<never>): Promise<void> {
  const isAvailable = async () => {
    const { status } = await client.get(resources.deployments, { namespace: "kube-system", name: "coredns" });
    return (status?.readyReplicas ?? 0) > 0;
  };
  await until(isAvailable, { what: "CoreDNS to be ready", timeoutMs: 120_000, everyMs: 200, unless });
}
