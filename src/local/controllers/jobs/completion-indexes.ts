import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { COMPLETION_INDEX } from "./job-names.ts";

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

/** The index that a pod works for; undefined where it has none, or one that is not wanted any more. */
export function indexOf({ spec }: Job, { metadata }: Stored<Pod>): number | undefined {
  const index = Number(metadata.annotations?.[COMPLETION_INDEX] ?? Number.NaN);
  return Number.isInteger(index) && index >= 0 && index < (spec?.completions ?? 0) ? index : undefined;
}

/** "1,3-5" as numbers; what is beyond `completions` is left out. */
export function parseIndexes(text: string | undefined, completions: number): ReadonlySet<number> {
  const ranges = (text ?? "").split(",").filter((range) => range !== "");
  const numbers = ranges.flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  });
  return new Set(numbers.filter((index) => index < completions));
}

/** Three and more in a row, or two, become a range. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === index) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges
    .map(([first, last]) => (first === last ? `${first}` : `${first}${last - first > 1 ? "-" : ","}${last}`))
    .join(",");
}

/** The first indexes that are neither done nor being worked on. */
export function pendingIndexes(
  job: Job,
  done: ReadonlySet<number>,
  pods: readonly Stored<Pod>[],
  count: number,
): number[] {
  const busy = new Set(pods.map((pod) => indexOf(job, pod)));
  const all = Array.from({ length: job.spec?.completions ?? 0 }, (_, index) => index);
  return all.filter((index) => !done.has(index) && !busy.has(index)).slice(0, count);
}
