import { etcdBinaries, obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";
import { executableInPath } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { kubernetesBinaries } from "../kube/control-plane/binaries.ts";
import { pinnedKubernetesVersion } from "../kube/control-plane/build-kubernetes.ts";
import { kubectlPath } from "../kube/kubectl.ts";
import { nodePrograms, runtimePrograms } from "../node/binaries.ts";
import { actionlint, binaryOf, coredns, obstacleTo, versitygw } from "../objectstore/go-program.ts";
import type { Part } from "./prepare.ts";

/** What `make test` runs: every etcd that this machine can have, kubectl, an S3 server. */
export async function partsOfTests(): Promise<readonly Part[]> {
  const etcds = (await obtainableVersions()).map((offer): Part => {
    const get: Part["get"] = (log) => etcdBinaries(offer.version, { log });
    return { name: `etcd ${offer.version}`, obstacle: obstacleOf(offer), get };
  });
  return [
    ...etcds,
    { name: "kubectl", get: kubectlPath },
    { name: "the S3 server versitygw", obstacle: await obstacleTo(versitygw), get: () => binaryOf(versitygw) },
    { name: "actionlint", obstacle: await obstacleTo(actionlint), get: () => binaryOf(actionlint) },
  ];
}

/** What `make test-kube` runs besides. */
export async function partsOfKube(): Promise<readonly Part[]> {
  return [
    {
      name: `Kubernetes ${await pinnedKubernetesVersion()}`,
      obstacle: await obstacleToKube(),
      get: kubernetesBinaries,
    },
  ];
}

/** What `make test-node` runs besides, on a node of its own. */
export async function partsOfNode(): Promise<readonly Part[]> {
  const version = await pinnedKubernetesVersion();
  return [
    { name: `kubelet, scheduler and kube-proxy ${version}`, get: nodePrograms },
    { name: "containerd", get: runtimePrograms },
    { name: "CoreDNS", obstacle: await obstacleTo(coredns), get: () => binaryOf(coredns) },
  ];
}

async function obstacleToKube(): Promise<string | undefined> {
  if (process.env.KUBEBUILDER_ASSETS || (await executableInPath("go"))) return undefined;
  return "needs Go on the PATH, or KUBEBUILDER_ASSETS";
}
