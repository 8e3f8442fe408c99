import { readdir, readFile } from "node:fs/promises";

/**
 * What all threads of a process have had of the processors, in seconds; exact, where a count of ticks would be too
 * coarse.
 */
export async function threadSeconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    // One that has ended meanwhile had little left to do.
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0")),
  );
  return times.reduce((sum, line) => sum + runSeconds(line), 0);
}

/** The first of the fields is the time on a processor, in nanoseconds. */
export function runSeconds(schedstat: string): number {
  return Number(schedstat.split(" ")[0]) / 1e9;
}
