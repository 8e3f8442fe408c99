import { readFileSync, readlinkSync } from "node:fs";

/** The only child of a process, seen from the machine; undefined once either has ended. */
export function onlyChildOf(pid: number): number | undefined {
  try {
    const first = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0];
    return first ? Number(first) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process still has namespaces to enter; one that is dying has let go of them, though it is still listed. */
export function hasNamespaces(pid: number): boolean {
  try {
    readlinkSync(`/proc/${pid}/ns/net`);
    return true;
  } catch {
    return false;
  }
}

/** Sends a signal to a process that may have ended already. */
export function killQuietly(pid: number, signal: NodeJS.Signals): void {
  // 0 would be our own process group.
  if (pid <= 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
