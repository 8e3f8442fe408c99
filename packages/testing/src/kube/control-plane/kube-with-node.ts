import { rmdir } from "node:fs/promises";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import type { LocalConfig } from "@etcd-operator/local-kubernetes";
import { aNetwork } from "../../local/network.ts";
import { accessTo, type KubeAccess } from "../access.ts";
import { type AuditedRequest, prepareAuditLog } from "../rights/audit-log.ts";
import { startControlPlane } from "./control-plane.ts";
import { startNode } from "./node.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** A real control plane with a node, so that its pods run. */
export interface KubeWithNode {
  readonly kube: KubeAccess;
  readonly client: KubeClient;
  readonly config: LocalConfig;
  /** For further processes, which end with all of this. */
  readonly workspace: Workspace;
  /** What ServiceAccounts asked of the API server so far. */
  audited(): Promise<readonly AuditedRequest[]>;
  stop(): Promise<void>;
}

/**
 * Starts kube-apiserver and kube-controller-manager, and local mode's kubelet, network and scheduler for them; needs
 * root.
 */
export async function startKubeWithNode(): Promise<KubeWithNode> {
  const ends: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(ends: (() => unknown)[]): Promise<Omit<KubeWithNode, "stop">> {
  const network = await aNetwork();
  ends.push(network.close);
  // The node keeps its state in the workspace, which vanishes however this ends.
  await rmdir(network.config.stateDir);
  const workspace = await openWorkspace("kube-node-");
  ends.push(workspace.close);
  const audit = await prepareAuditLog(workspace.directory);
  // Services get addresses that the node's network serves.
  const range = `--service-cluster-ip-range=${network.config.serviceCidr}`;
  const plane = await startControlPlane({ apiServerFlags: [range, ...audit.flags] });
  ends.push(plane.stop, () => stopProcesses(workspace));
  const kube = accessTo(plane.facts);
  const client = new KubeClient(await connectionFromKubeconfig(kube.adminKubeconfig), { userAgent: "test" });
  ends.push(() => client.close());
  const over = new AbortController();
  ends.push(() => over.abort());
  const config = await startNode({ kube, client, workspace, network: network.config, signal: over.signal });
  return { kube, client, config, workspace, audited: audit.read };
}

// While there is an API server to say goodbye to; the folder goes later, for the audit log is in it.
async function stopProcesses({ processes }: Workspace): Promise<void> {
  for (const each of processes.toReversed()) await each.stop();
}
