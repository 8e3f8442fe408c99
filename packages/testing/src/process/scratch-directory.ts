import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";

export interface ScratchDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

// Reads until the pipe from its parent closes, which it also does when the parent is killed with SIGKILL. Processes
// that still die may write meanwhile, hence the loop.
const sweep = 'cat > /dev/null; until rm -rf "$0" 2> /dev/null; do sleep 0.1; done';

/**
 * A new directory whose path starts with `prefix`, gone after `remove` and also after this process ended without
 * calling it.
 */
export async function scratchDirectory(prefix: string): Promise<ScratchDirectory> {
  const path = await mkdtemp(prefix);
  const sweeper = spawn("/bin/sh", ["-c", sweep, path], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  const swept = once(sweeper, "exit");
  return {
    path,
    async remove() {
      sweeper.stdin.end();
      await swept;
    },
  };
}
