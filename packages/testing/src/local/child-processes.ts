import { readdir, readFile } from "node:fs/promises";

/** The id of a process that another one started, by a word of its command line such as the name of a script. */
export async function childRunning(parent: number, word: string): Promise<number | undefined> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await isChild(pid, parent, word)) ? [pid] : [])));
  return found.flat()[0];
}

async function isChild(pid: number, parent: number, word: string): Promise<boolean> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    // The name, in parentheses, may hold anything; the state and the parent come after it.
    const [state, parentPid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(parentPid) === parent && state !== "Z" && command.includes(word);
  } catch {
    return false; // It has ended in the meantime.
  }
}
