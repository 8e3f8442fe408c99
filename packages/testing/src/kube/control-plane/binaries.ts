import { join } from "node:path";
import { cacheRoot } from "@etcd-operator/local-kubernetes/binaries/cache-root.ts";
import { executableAt } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { buildKubernetes, pinnedKubernetesVersion } from "./build-kubernetes.ts";

export interface KubernetesBinaries {
  readonly apiserver: string;
  /** Missing when KUBEBUILDER_ASSETS holds envtest's usual set, which has none. */
  readonly controllerManager: string | undefined;
}

/**
 * The programs of the control plane: from KUBEBUILDER_ASSETS, else from the user's cache, else built with Go into it.
 */
export async function kubernetesBinaries(): Promise<KubernetesBinaries> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets) {
    const found = await binariesIn(assets);
    if (!found)
      throw new Error(`KUBEBUILDER_ASSETS is "${assets}", which holds no kube-apiserver: correct or unset it`);
    return found;
  }
  const folder = join(cacheRoot(process.env), "kubernetes", await pinnedKubernetesVersion());
  await buildKubernetes(folder, ["kube-apiserver", "kube-controller-manager"]);
  const built = await binariesIn(folder);
  if (!built) throw new Error(`kube-apiserver has just vanished from ${folder}`);
  return built;
}

async function binariesIn(folder: string): Promise<KubernetesBinaries | undefined> {
  const apiserver = await executableAt(join(folder, "kube-apiserver"));
  const controllerManager = await executableAt(join(folder, "kube-controller-manager"));
  return apiserver === undefined ? undefined : { apiserver, controllerManager };
}
