import { kubectlOrThrow } from "./kubectl.ts";

const names = ["etcdclusters", "etcdbackups", "etcdrestores"].map((plural) => `crd/${plural}.etcd.database.coreos.com`);

/** Applies deploy/crd as a user would, and returns once the API server serves the kinds. */
export async function applyCrds({ adminKubeconfig }: { readonly adminKubeconfig: string }): Promise<void> {
  await kubectlOrThrow(adminKubeconfig, ["apply", "-f", "deploy/crd"]);
  await kubectlOrThrow(adminKubeconfig, ["wait", "--for=condition=Established", "--timeout=60s", ...names]);
}
