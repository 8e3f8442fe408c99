import { dirname, join } from "node:path";
import { cacheRoot } from "@etcd-operator/local-kubernetes/binaries/cache-root.ts";
import { fillOnce } from "@etcd-operator/local-kubernetes/binaries/cached-folder.ts";
import { fetchFromDebian } from "@etcd-operator/local-kubernetes/binaries/fetch-from-debian.ts";
import { executableAt, executableInPath } from "@etcd-operator/local-kubernetes/processes/executable.ts";
import { type CommandResult, runCommand, runCommandOrThrow } from "../process/run-command.ts";

interface KubectlOptions {
  readonly input?: string;
  readonly signal?: AbortSignal;
}

let found: Promise<string> | undefined;

/** Runs kubectl with the given kubeconfig, and nothing of the user's own configuration. */
export async function kubectl(
  kubeconfig: string,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<CommandResult> {
  return runCommand(await kubectlPath(), args, { ...options, env: environment(kubeconfig) });
}

/** Runs kubectl, which must succeed, and returns its output. */
export async function kubectlOrThrow(
  kubeconfig: string,
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<string> {
  return runCommandOrThrow(await kubectlPath(), args, { ...options, env: environment(kubeconfig) });
}

// kubectl caches discovery in the home folder under host and port; another control plane may have had this port before.
function environment(kubeconfig: string): NodeJS.ProcessEnv {
  return { ...process.env, KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) };
}

/** The path of kubectl, for callers that start it themselves. */
export async function kubectlPath(): Promise<string> {
  found ??= findKubectl();
  return found;
}

async function findKubectl(): Promise<string> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const path = (assets && (await executableAt(join(assets, "kubectl")))) || (await executableInPath("kubectl"));
  return path ?? fetchKubectl();
}

// Debian 13's, on whichever Debian this is: the one that Debian 12 would install is too old for today's API servers.
const debianKubectl = { suite: "trixie", packages: ["kubectl"], programs: ["kubectl"] };

async function fetchKubectl(): Promise<string> {
  const folder = join(cacheRoot(process.env), "kubectl", debianKubectl.suite);
  const path = join(folder, "kubectl");
  try {
    await fillOnce(folder, {
      what: "kubectl",
      env: process.env,
      isComplete: async () => (await executableAt(path)) !== undefined,
      fill: (work) => {
        process.stderr.write("kubectl is missing: fetching Debian's into the cache\n");
        return fetchFromDebian(debianKubectl, work, { env: process.env });
      },
    });
    return path;
  } catch (cause) {
    const remedy = "put it into PATH, or into the folder that KUBEBUILDER_ASSETS names";
    throw new Error(`kubectl is missing and could not be fetched: ${remedy}`, { cause });
  }
}
