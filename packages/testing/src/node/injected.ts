import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { afterAll, inject } from "vitest";
import { kubectl, kubectlOrThrow } from "../kube/kubectl.ts";
import type { CommandResult } from "../process/run-command.ts";

declare module "vitest" {
  export interface ProvidedContext {
    realCluster: RealCluster;
  }
}

/** A cluster whose pods run, of which only the API is known: it may be ours or a user's. */
export interface RealCluster {
  readonly kubeconfig: string;
  /** Whether this run started it. */
  readonly isOurs: boolean;
  /** Path of a socket that leads to the addresses inside, where there is one. */
  readonly tunnel?: string;
}

export interface RealClusterAccess extends RealCluster {
  readonly client: KubeClient;
  /** Must succeed; returns what it printed. */
  kubectl(...args: readonly string[]): Promise<string>;
  tryKubectl(...args: readonly string[]): Promise<CommandResult>;
  /** Creates or changes objects. */
  apply(...objects: readonly object[]): Promise<void>;
}

/** The cluster that test/node/global-setup.ts found or started for the test files of the project "node". */
export async function injectedCluster(): Promise<RealClusterAccess> {
  const access = await accessToCluster(inject("realCluster"));
  afterAll(() => access.client.close());
  return access;
}

export async function accessToCluster(cluster: RealCluster): Promise<RealClusterAccess> {
  const { kubeconfig } = cluster;
  const client = new KubeClient(await connectionFromKubeconfig(kubeconfig), { userAgent: "test" });
  return {
    ...cluster,
    client,
    kubectl: (...args) => kubectlOrThrow(kubeconfig, args),
    tryKubectl: (...args) => kubectl(kubeconfig, args),
    async apply(...items) {
      const list = { apiVersion: "v1", kind: "List", items };
      await kubectlOrThrow(kubeconfig, ["apply", "-f", "-"], { input: JSON.stringify(list) });
    },
  };
}
