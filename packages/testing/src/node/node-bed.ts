import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { inject } from "vitest";
import type { CommandResult } from "../process/run-command.ts";
import { accessToCluster, type RealCluster } from "./injected.ts";
import { openTunnel, type Tunnel } from "./tunnel.ts";

/** Real nodes with the operator of deploy/, for scenarios that need no more than the API and a way to etcd. */
export interface NodeBed {
  readonly client: KubeClient;
  kubectl(...args: readonly string[]): Promise<string>;
  tryKubectl(args: readonly string[]): Promise<CommandResult>;
  /** From an address inside to one on the loopback address. */
  reach(address: string): Promise<string>;
  /** Throws when an operator was started again, which means that it crashed. */
  endTest(): Promise<void>;
  close(): Promise<void>;
}

/** The bed of the project "node"; undefined in the other projects, whose bed is local mode. */
export async function openNodeBed(): Promise<NodeBed | undefined> {
  const cluster: RealCluster | undefined = inject("realCluster");
  if (!cluster) return undefined;
  const { tunnel } = cluster;
  if (!tunnel)
    throw new Error("scenarios connect to etcd itself, and there is no way to that in the cluster of KUBECONFIG_NODE");
  const access = await accessToCluster(cluster);
  await installOperator(access.kubectl);
  const open = new Map<string, Promise<Tunnel>>();
  return {
    client: access.client,
    kubectl: access.kubectl,
    tryKubectl: (args) => access.tryKubectl(...args),
    async reach(address) {
      const way = open.get(address) ?? openTunnel(tunnel, address);
      open.set(address, way);
      return `127.0.0.1:${(await way).port}`;
    },
    async endTest() {
      const restarts = await access.kubectl(
        "-n",
        "etcd-operator",
        "get",
        "pods",
        "-l",
        "name=etcd-operator",
        "-o",
        RESTARTS,
      );
      if (/[1-9]/.test(restarts)) throw new Error(`operators ended and were started again: ${restarts}`);
    },
    async close() {
      for (const way of open.values()) (await way).close();
      await access.client.close();
    },
  };
}

const RESTARTS = "jsonpath={.items[*].status.containerStatuses[*].restartCount}";

/** As deploy/ has it; does nothing where that is so already. */
export async function installOperator(kubectl: NodeBed["kubectl"]): Promise<void> {
  await kubectl("apply", "-k", "deploy");
  await kubectl("-n", "etcd-operator", "rollout", "status", "deployment/etcd-operator", "--timeout=180s");
}
