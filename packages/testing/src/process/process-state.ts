import { readdir, readFile, readlink } from "node:fs/promises";

/** Whether a process runs; one that ended and was not yet reaped does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything; the state is the first field after it.
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}

/** The addresses that a process listens on over TCP, in the kernel's hexadecimal form. */
export async function listeningAddresses(pid: number): Promise<string[]> {
  const sockets = await socketsOf(pid);
  const tables = await Promise.all(["tcp", "tcp6"].map((table) => readFile(`/proc/${pid}/net/${table}`, "utf8")));
  return tables
    .flatMap((table) => table.trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === listenState && sockets.has(`socket:[${fields[9]}]`))
    .map((fields) => (fields[1] ?? "").split(":")[0] ?? "");
}

/** 127.0.0.1 in the form of `listeningAddresses`, on a little-endian machine. */
export const loopback = "0100007F";

const listenState = "0A";

async function socketsOf(pid: number): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => "")));
  return new Set(links);
}
