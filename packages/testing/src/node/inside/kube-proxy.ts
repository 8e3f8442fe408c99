import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "../../kube/control-plane/workspace.ts";
import type { RuntimePrograms } from "../binaries.ts";
import { NODES_CIDR, POD_CIDR } from "./addresses.ts";

interface ProxyNeeds {
  readonly workspace: Workspace;
  readonly program: string;
  readonly runtime: RuntimePrograms;
  readonly kubeconfig: string;
  readonly nodeName: string;
}

/** Starts one kube-proxy for all nodes, for they share a network namespace; it writes rules for nftables. */
export async function startKubeProxy({ workspace, program, runtime, kubeconfig, nodeName }: ProxyNeeds): Promise<void> {
  const file = join(workspace.directory, "kube-proxy.json");
  const config = {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clusterCIDR: POD_CIDR,
    hostnameOverride: nodeName,
    bindAddress: "127.0.0.1",
    healthzBindAddress: "127.0.0.1:10256",
    metricsBindAddress: "127.0.0.1:10249",
    nodePortAddresses: [NODES_CIDR],
    clientConnection: { kubeconfig },
    // These are limits of the machine; zero leaves them as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    nftables: { minSyncPeriod: "100ms", syncPeriod: "30s" },
  };
  await writeFile(file, JSON.stringify(config));
  workspace.run("kube-proxy", program, [`--config=${file}`, "--v=1"], { ...process.env, ...runtime.env });
}
