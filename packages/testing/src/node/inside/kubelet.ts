import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import type { ControlPlane } from "../../kube/control-plane/control-plane.ts";
import type { Workspace } from "../../kube/control-plane/workspace.ts";
import type { RuntimePrograms } from "../binaries.ts";
import { DNS_IP, type NodeAddress } from "./addresses.ts";

interface KubeletNeeds {
  readonly workspace: Workspace;
  readonly plane: ControlPlane;
  readonly program: string;
  readonly runtime: RuntimePrograms;
  readonly runtimeSocket: string;
  readonly folder: string;
  readonly node: NodeAddress;
  /** Under which everything that pods use is counted, as a path in each hierarchy. */
  readonly cgroup: string;
}

/** Starts the kubelet of one node, with the rights that a node has and no others. */
export async function startKubelet(needs: KubeletNeeds): Promise<void> {
  const { workspace, plane, folder, node, program, runtime } = needs;
  const { server, ca } = plane.facts;
  const subject = `CN=system:node:${node.name}, O=system:nodes`;
  const [client, serving] = await Promise.all([
    plane.issue(`${node.name}-client`, { subject, usage: "client" }),
    plane.issue(`${node.name}-server`, { subject, usage: "server", ips: [node.ip], dnsNames: [node.name] }),
  ]);
  const identity = { kind: "certificate", ...client } as const;
  const kubeconfig = await writeKubeconfig(join(folder, "kubelet.kubeconfig"), { server, ca, identity });
  // Pods that ask for the machine's own resolver get one that refuses: there is no way out.
  await writeFile(join(folder, "resolv.conf"), "nameserver 127.0.0.1\n");
  await mkdir(join(folder, "pod-logs"), { recursive: true });
  const config = join(folder, "kubelet.json");
  await writeFile(config, JSON.stringify(configuration(needs, { ca, ...serving })));
  const args = [
    `--config=${config}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.ip}`,
    `--root-dir=${join(folder, "kubelet")}`,
    `--cert-dir=${join(folder, "kubelet-pki")}`,
    `--node-labels=topology.kubernetes.io/zone=zone-${node.name}`,
    "--v=1",
  ];
  workspace.run(`kubelet-${node.name}`, program, args, { ...process.env, ...runtime.env });
}

interface Files {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

function configuration({ folder, node, cgroup, runtimeSocket }: KubeletNeeds, { ca, cert, key }: Files): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: node.ip,
    healthzBindAddress: node.ip,
    tlsCertFile: cert,
    tlsPrivateKeyFile: key,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: ca } },
    authorization: { mode: "Webhook" },
    cgroupDriver: "cgroupfs",
    cgroupRoot: cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    // A machine that is a container itself may not lower its score.
    oomScoreAdj: 0,
    clusterDNS: [DNS_IP],
    clusterDomain: "cluster.local",
    resolvConf: join(folder, "resolv.conf"),
    containerRuntimeEndpoint: `unix://${runtimeSocket}`,
    makeIPTablesUtilChains: false,
    podLogsDir: join(folder, "pod-logs"),
    volumePluginDir: join(folder, "volume-plugins"),
    // Nothing that is removed could be pulled again.
    imageMinimumGCAge: "1000h",
    imageGCHighThresholdPercent: 100,
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    nodeStatusUpdateFrequency: "2s",
  };
}
