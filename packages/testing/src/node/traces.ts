import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = "/sys/fs/cgroup";

// Reads until the pipe from its parent closes, which it also does when the parent is killed with SIGKILL. The
// namespaces end a moment later, hence the loops: a cgroup cannot be removed while processes are in it.
const SWEEP = `cat > /dev/null
for try in $(seq 600); do
  find ${ROOT} -mindepth 1 -maxdepth 2 -name "$1" | while read -r group; do find "$group" -depth -type d -exec rmdir {} +; done 2> /dev/null
  [ -n "$(find ${ROOT} -mindepth 1 -maxdepth 2 -name "$1")" ] || ! rm -rf "$0" 2> /dev/null || break
  sleep 0.1
done`;

export interface Traces {
  /** Removes them, once no process is left that uses them. */
  remove(): Promise<void>;
}

/**
 * Makes the cgroups of a real node, one for each of its nodes, and ensures that they and its folder are removed
 * however this process ends. All else that a real node makes lies in namespaces, which the kernel removes.
 */
export async function makeTraces(folder: string, cgroup: string, nodes: readonly string[]): Promise<Traces> {
  const sweeper = spawn("/bin/sh", ["-c", SWEEP, folder, cgroup], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const swept = once(sweeper, "exit");
  for (const hierarchy of await hierarchies()) {
    for (const group of [cgroup, ...nodes.map((node) => join(cgroup, node))]) {
      await mkdir(join(hierarchy, group));
      if (hierarchy.endsWith("/cpuset")) await inheritCpus(hierarchy, group);
    }
  }
  return {
    async remove() {
      sweeper.stdin.end();
      await swept;
    },
  };
}

/** One per controller in the first version of cgroups, and a single one in the second. */
async function hierarchies(): Promise<string[]> {
  const names = await readdir(ROOT);
  if (names.includes("cgroup.controllers")) return [ROOT];
  const isHierarchy = async (name: string) =>
    (await readdir(join(ROOT, name)).catch((): string[] => [])).includes("cgroup.procs");
  const found = await Promise.all(names.map(async (name) => ((await isHierarchy(name)) ? [join(ROOT, name)] : [])));
  return found.flat();
}

// A new group has none, and no process can be put into it.
async function inheritCpus(hierarchy: string, cgroup: string): Promise<void> {
  for (const file of ["cpuset.cpus", "cpuset.mems"])
    await writeFile(join(hierarchy, cgroup, file), await readFile(join(hierarchy, file)));
}
