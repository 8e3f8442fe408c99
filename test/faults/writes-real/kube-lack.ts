import { join } from "node:path";
import { cacheRoot } from "@etcd-operator/local-kubernetes/binaries/cache-root.ts";
import { executableAt } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { pinnedKubernetesVersion } from "@etcd-operator/testing/kube/control-plane/build-kubernetes.ts";

/** What this machine lacks for a real control plane; building it takes longer than a run of plans may. */
export async function kubeLack(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const built = join(cacheRoot(env), "kubernetes", await pinnedKubernetesVersion());
  const folder = env.KUBEBUILDER_ASSETS || built;
  const programs = ["kube-apiserver", "kube-controller-manager"];
  const found = await Promise.all(programs.map((program) => executableAt(join(folder, program))));
  const missing = programs.filter((_, at) => found[at] === undefined);
  if (missing.length === 0) return undefined;
  return `there is no ${missing.join(" and no ")}: \`make test-kube\` builds them where Go is installed`;
}
