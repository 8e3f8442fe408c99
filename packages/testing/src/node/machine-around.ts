import { readdir, readFile } from "node:fs/promises";
import { runCommandOrThrow } from "../process/run-command.ts";
import type { RealNode } from "./real-node.ts";

// Places and settings of the machine that containerd, CNI plugins, kubelets and kube-proxy use by fixed names.
const PLACES = [
  ...["/run/containerd", "/run/netns", "/var/lib/cni", "/var/lib/kubelet", "/var/log/containers", "/var/log/pods"],
  ...["/etc/cni", "/opt/cni", "/opt/containerd", "/tmp/hostpath_pv", "/usr/libexec/kubernetes"],
];
const SYSCTLS = [
  ...["vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops"],
  ...["kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "net/ipv4/ip_forward"],
  ...["net/ipv4/conf/all/route_localnet", "net/netfilter/nf_conntrack_max"],
];

/** What a real node could change on the machine around it; others do not touch any of it. */
export interface MachineAround {
  readonly places: Readonly<Record<string, readonly string[] | undefined>>;
  readonly sysctls: Readonly<Record<string, string | undefined>>;
  readonly addresses: readonly string[];
}

export async function machineAround(): Promise<MachineAround> {
  const places = PLACES.map(async (path) => [path, (await readdir(path).catch(() => undefined))?.sort()] as const);
  const sysctls = SYSCTLS.map(async (name) => [name, await textOf(`/proc/sys/${name}`)] as const);
  const network = (await runCommandOrThrow("ip", ["-oneline", "address", "show"])).split("\n");
  const routes = (await runCommandOrThrow("ip", ["route", "show", "table", "all"])).split("\n");
  return {
    places: Object.fromEntries(await Promise.all(places)),
    sysctls: Object.fromEntries(await Promise.all(sysctls)),
    addresses: [...network, ...routes].filter((line) => /\b10\.(200|244|96)\.\d/.test(line)),
  };
}

/** What there is of one real node, seen from outside. */
export interface TracesOfNode {
  readonly processes: number;
  readonly mounts: number;
  readonly cgroups: number;
  readonly files: number;
}

export async function tracesOf({ directory, cgroup }: Pick<RealNode, "directory" | "cgroup">): Promise<TracesOfNode> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const using = await Promise.all(pids.map(async (pid) => uses(pid, directory)));
  const groups = await runCommandOrThrow("find", ["/sys/fs/cgroup", "-maxdepth", "2", "-name", cgroup]);
  return {
    processes: using.filter(Boolean).length,
    mounts: (await textOf("/proc/self/mountinfo"))?.split("\n").filter((line) => line.includes(directory)).length ?? 0,
    cgroups: groups.split("\n").filter((line) => line !== "").length,
    files: (await readdir(directory).catch(() => [])).length,
  };
}

// By what it was started with, or by what it has mounted, which all that run inside have.
async function uses(pid: string, directory: string): Promise<boolean> {
  const [command, mounts] = [await textOf(`/proc/${pid}/cmdline`), await textOf(`/proc/${pid}/mountinfo`)];
  return `${command}${mounts}`.includes(directory);
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
