import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { kubectlPath } from "../kube/kubectl.ts";
import type { LocalModeUnderTest } from "../local/local-mode.ts";

export interface Terminal {
  /** Runs commands of a document; they must all succeed. Returns what they printed. */
  run(commands: string): Promise<string>;
  close(): Promise<void>;
}

/** A terminal in what looks like a clone in which `make run` runs, so that a document's commands need no change. */
export async function terminalBeside(local: LocalModeUnderTest): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), "clone-"));
  for (const name of ["bin", "dist", "example", "node_modules"]) await symlink(resolve(name), join(folder, name));
  await symlink(local.stateDir, join(folder, ".local"));
  return {
    async run(commands) {
      const path = [dirname(await kubectlPath()), process.env.PATH].join(delimiter);
      const env = { ...process.env, PATH: path, KUBECONFIG: ".local/kubeconfig", KUBECACHEDIR: join(folder, "cache") };
      const options = { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 };
      const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], options);
      return stdout;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
