import { dirname, join } from "node:path";
import { executableAt, executableInPath } from "../../../src/local/processes/executable.ts";
import { type CommandResult, runCommand, runCommandOrThrow } from "./run-command.ts";

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

async function kubectlPath(): Promise<string> {
  found ??= findKubectl();
  return found;
}

async function findKubectl(): Promise<string> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const path = (assets && (await executableAt(join(assets, "kubectl")))) || (await executableInPath("kubectl"));
  return path ?? installKubectl();
}

async function installKubectl(): Promise<string> {
  const aptGet = await executableInPath("apt-get");
  if (!aptGet || process.getuid?.() !== 0) {
    throw new Error(
      "kubectl is missing: put it into PATH or into the folder KUBEBUILDER_ASSETS names, " +
        "or on Debian run, as root: apt-get install kubernetes-client",
    );
  }
  process.stderr.write("kubectl is missing: installing Debian's kubernetes-client\n");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await runCommandOrThrow(aptGet, ["update"], { env });
  await runCommandOrThrow(aptGet, ["install", "-y", "kubernetes-client"], { env });
  const path = await executableInPath("kubectl");
  if (!path) throw new Error("apt-get installed kubernetes-client, yet there is no kubectl in PATH");
  return path;
}
