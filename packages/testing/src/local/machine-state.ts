import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { linksOf } from "@etcd-operator/local-kubernetes/network/bridge.ts";
import type { LocalModeUnderTest } from "./local-mode.ts";

const run = promisify(execFile);

/** What a local mode has on a machine, and could leave behind on it. */
export interface MachineState {
  readonly processes: number;
  readonly namespaces: number;
  readonly mounts: number;
  readonly links: readonly string[];
  readonly addresses: number;
}

type Local = Pick<LocalModeUnderTest, "pid" | "stateDir" | "config">;

/** Counts what belongs to one local mode; others may come and go on the same machine. */
export async function machineState({ pid, stateDir, config }: Local): Promise<MachineState> {
  const [links, pids] = [await linksOf(config.instance), await processesOf(pid, stateDir)];
  const namespaces = await Promise.all(pids.map(namespacesOf));
  return {
    processes: pids.length,
    namespaces: new Set(namespaces.flat()).size,
    mounts: (await readFile("/proc/self/mounts", "utf8")).split("\n").filter((line) => line.includes(stateDir)).length,
    links: [...links].sort(),
    addresses: await addressesOn(links),
  };
}

/** Its descendants; and processes with a mount of its folder, as those left behind have no parent. */
async function processesOf(root: number, stateDir: string): Promise<readonly number[]> {
  const { stdout } = await run("ps", ["-e", "-o", "pid=,ppid="]);
  const parents = new Map<number, number>();
  for (const line of stdout.trim().split("\n")) {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    parents.set(pid, parent);
  }
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || descends(parents.get(pid)));
  const all = await Promise.all(
    [...parents.keys()].map(async (pid) => (descends(pid) || (await hasMounted(pid, stateDir)) ? [pid] : [])),
  );
  return all.flat();
}

async function hasMounted(pid: number, folder: string): Promise<boolean> {
  return (await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "")).includes(folder);
}

async function namespacesOf(pid: number): Promise<readonly string[]> {
  const kinds = ["net", "mnt", "pid", "uts", "ipc"];
  return Promise.all(kinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => "")));
}

async function addressesOn(links: readonly string[]): Promise<number> {
  const all = JSON.parse((await run("ip", ["-json", "address", "show"])).stdout) as {
    ifname: string;
    addr_info: unknown[];
  }[];
  return all
    .filter(({ ifname }) => links.includes(ifname.split("@")[0] ?? ""))
    .reduce((sum, { addr_info }) => sum + addr_info.length, 0);
}
