import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GuardedProcess, startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { scratchDirectory } from "../../process/scratch-directory.ts";

/** Processes and the directory they work in, which begin and end together. */
export interface Workspace {
  readonly directory: string;
  readonly processes: readonly GuardedProcess[];
  /** Starts a process that logs to `<name>.log` in the directory. */
  run(name: string, file: string, args: readonly string[], env?: NodeJS.ProcessEnv): GuardedProcess;
  /** Stops the processes, the last one first, and removes the directory. */
  close(): Promise<void>;
}

/** Opens a workspace in a temporary directory; it closes by itself when this process is killed. */
export async function openWorkspace(prefix: string): Promise<Workspace> {
  const scratch = await scratchDirectory(join(tmpdir(), prefix));
  const processes: GuardedProcess[] = [];
  return {
    directory: scratch.path,
    processes,
    run(name, file, args, env = process.env) {
      const started = startGuarded({ name, file, args, env, log: join(scratch.path, `${name}.log`) });
      processes.push(started);
      return started;
    },
    async close() {
      for (const started of processes.toReversed()) await started.stop();
      await scratch.remove();
    },
  };
}
