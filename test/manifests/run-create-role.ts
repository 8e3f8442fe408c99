import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { CommandResult } from "@etcd-operator/testing/process/run-command.ts";

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Another copy of the script. */
  readonly script?: string;
}

const original = fileURLToPath(new URL("../../example/rbac/create_role.sh", import.meta.url));

/** Runs example/rbac/create_role.sh, from any folder, with whichever kubectl the environment's PATH leads to. */
export async function runCreateRole(
  args: readonly string[],
  { env, cwd = process.cwd(), script = original }: Surroundings,
): Promise<CommandResult> {
  const child = spawn(script, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? -1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Runs the script on a real cluster, as the user of the kubeconfig, with the kubectl that tests use. */
export async function createRoleOn(kubeconfig: string, args: readonly string[]): Promise<CommandResult> {
  const { PATH = "", KUBEBUILDER_ASSETS: assets } = process.env;
  const env = { PATH: assets ? `${assets}:${PATH}` : PATH, KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) };
  return runCreateRole(args, { env });
}
