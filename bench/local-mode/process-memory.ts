import { readdir, readFile } from "node:fs/promises";

/** A process as far as its memory is concerned. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly residentMib: number;
}

/** Resident memory, in MiB, of a local mode that descends from `root`, by the parts it consists of. */
export async function memoryByPart(root: number): Promise<Readonly<Record<string, number>>> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(readProcess));
  return sumByPart(
    found.filter((one) => one !== undefined),
    root,
  );
}

/** What belongs to no part itself counts with the nearest ancestor that does; below the kubelet it is the pods'. */
export function sumByPart(processes: readonly Process[], root: number): Readonly<Record<string, number>> {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const sums: Record<string, number> = {};
  for (const one of processes) {
    const part = partOf(one, root, byPid);
    if (part !== undefined) sums[part] = (sums[part] ?? 0) + one.residentMib;
  }
  return sums;
}

function partOf(one: Process, root: number, byPid: ReadonlyMap<number, Process>): string | undefined {
  if (one.pid === root) return "supervisor";
  const own = / part (\w+) /.exec(one.command)?.[1] ?? WHOSE.find(([word]) => one.command.includes(word))?.[1];
  const parent = byPid.get(one.parent);
  const above = parent && partOf(parent, root, byPid);
  if (above === undefined) return undefined;
  return own ?? (above === "kubelet" ? "pods" : above);
}

/** A word of the command line, and the part that it gives away. */
const WHOSE = [
  ["--name=store", "store"],
  ["etcd-operator.mjs", "operator"],
] as const;

async function readProcess(pid: string): Promise<Process | undefined> {
  try {
    const [status, command] = await Promise.all([
      readFile(`/proc/${pid}/status`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    const number = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    const words = command.replaceAll("\0", " ");
    return { pid: Number(pid), parent: number("PPid"), command: words, residentMib: number("VmRSS") / 1024 };
  } catch {
    return undefined; // It has ended in the meantime.
  }
}
