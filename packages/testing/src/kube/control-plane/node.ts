import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { EventRecorder, resources, systemClock } from "@etcd-operator/kubernetes-client";
import { freePorts } from "@etcd-operator/local-kubernetes";
import type { LocalConfig, NodePlace } from "@etcd-operator/local-kubernetes/config.ts";
import { informersOf } from "@etcd-operator/local-kubernetes/controllers/informers.ts";
import { startScheduler } from "@etcd-operator/local-kubernetes/controllers/scheduling/start-scheduler.ts";
import { nodePlaces } from "@etcd-operator/local-kubernetes/supervisor/node-places.ts";
import { until } from "../../until.ts";
import type { KubeAccess } from "../access.ts";
import { kubectlOrThrow } from "../kubectl.ts";
import type { Workspace } from "./workspace.ts";

interface NodeNeeds {
  readonly kube: KubeAccess;
  /** The administrator's. */
  readonly client: KubeClient;
  readonly workspace: Workspace;
  /** The bridge and the addresses on it. */
  readonly network: LocalConfig;
  readonly signal: AbortSignal;
}

/**
 * Makes this machine the node of a real control plane: local mode's kubelet and network, as processes of their own, run
 * its pods.
 */
export async function startNode(needs: NodeNeeds): Promise<LocalConfig> {
  const { workspace, client } = needs;
  const config = await configFor(needs);
  const file = join(workspace.directory, "node.json");
  await writeFile(file, JSON.stringify(config));
  const parts = ["network", "kubelet"].map((part) =>
    workspace.run(part, process.execPath, ["dist/local/local.mjs", "part", part, file]),
  );
  startOnlyTheScheduler(config, needs);
  const [{ nodeName: name }] = config.nodes as [NodePlace];
  const isReady = async () => {
    const { status } = await client.get(resources.nodes, { name });
    return status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  };
  await until(isReady, { what: "the node to be ready", unless: Promise.race(parts.map(({ diedEarly }) => diedEarly)) });
  // Admission taints new nodes until the node controller has seen them, which does not run here.
  await client.patch(resources.nodes, { name }, { merge: { spec: { taints: null } } });
  return config;
}

async function configFor({ kube, workspace, network }: NodeNeeds): Promise<LocalConfig> {
  const { adminKubeconfig, server, ca, admin } = kube;
  const [kubeletPort = 0] = await freePorts(1);
  const tokenFile = join(workspace.directory, "node.token");
  const account = { namespace: "kube-system", serviceAccount: "node" };
  await kubectlOrThrow(adminKubeconfig, ["create", "serviceaccount", "node", "-n", "kube-system"]);
  const binding = ["clusterrolebinding", "node", "--clusterrole=cluster-admin", "--serviceaccount=kube-system:node"];
  await kubectlOrThrow(adminKubeconfig, ["create", ...binding]);
  await writeFile(tokenFile, await kube.tokenFor(account), { mode: 0o600 });
  return {
    ...network,
    stateDir: workspace.directory,
    server,
    nodes: nodePlaces(network.podCidr, [kubeletPort]),
    kubeconfig: adminKubeconfig,
    // The certificate is for the kubelet's own server, which no client uses here.
    pki: { caFile: ca, certFile: admin.cert, keyFile: admin.key, tokenFile },
  };
}

/**
 * The one of local mode's controllers that kube-controller-manager has no counterpart of: two of a kind would fight.
 */
function startOnlyTheScheduler(config: LocalConfig, { client, signal }: NodeNeeds): void {
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const onError = (error: unknown) => log(`scheduler: ${String(error)}`);
  const informers = informersOf(client, onError);
  const events = new EventRecorder({ client, component: "scheduler", signal, onError });
  startScheduler({ config, client, informers, events, clock: systemClock, signal, log });
  const { pods, nodes, namespaces, persistentVolumes, persistentVolumeClaims, storageClasses } = informers;
  const read = [pods, nodes, namespaces, persistentVolumes, persistentVolumeClaims, storageClasses];
  for (const informer of read) void informer.run(signal);
}
