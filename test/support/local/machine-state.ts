import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What local mode could leave behind on a machine. */
export interface MachineState {
  readonly processes: number;
  readonly namespaces: number;
  readonly mounts: number;
  readonly links: readonly string[];
  readonly addresses: number;
}

/** Counts what belongs to the machine as a whole; processes only as far as they descend from `root`. */
export async function machineState(root: number): Promise<MachineState> {
  const links = JSON.parse((await run("ip", ["-json", "address", "show"])).stdout) as {
    ifname: string;
    addr_info: unknown[];
  }[];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const namespaces = await Promise.all(pids.map(namespacesOf));
  return {
    processes: await descendants(root),
    namespaces: new Set(namespaces.flat()).size,
    mounts: (await readFile("/proc/self/mounts", "utf8")).trim().split("\n").length,
    links: links.map(({ ifname }) => ifname).sort(),
    addresses: links.reduce((sum, { addr_info }) => sum + addr_info.length, 0),
  };
}

async function namespacesOf(pid: string): Promise<readonly string[]> {
  const kinds = ["net", "mnt", "pid", "uts", "ipc"];
  return Promise.all(kinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => "")));
}

async function descendants(root: number): Promise<number> {
  const { stdout } = await run("ps", ["-e", "-o", "pid=,ppid=,stat="]);
  const parents = new Map<number, number>();
  for (const line of stdout.trim().split("\n")) {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    parents.set(pid, parent);
  }
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || descends(parents.get(pid)));
  return [...parents.keys()].filter(descends).length;
}
