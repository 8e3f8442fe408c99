/** How many observations were at most so large, by the upper bound, which may be infinite. */
export type Buckets = ReadonlyMap<number, number>;

/** The smallest of the values that so many of all do not exceed; `share` is from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The buckets of a histogram on a page for Prometheus. */
export function bucketsIn(page: string, name: string, label: string): Buckets {
  const start = `${name}_bucket{`;
  const lines = page.split("\n").filter((line) => line.startsWith(start) && line.includes(label));
  return new Map(
    lines.map((line) => {
      const [, bound = "", count = ""] = /le="([^"]+)".*\} (\d+)$/.exec(line) ?? [];
      return [bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound), Number(count)];
    }),
  );
}

/** What was observed between two readings. */
export function bucketsBetween(before: Buckets, after: Buckets): Buckets {
  return new Map([...after].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]));
}

/** As Prometheus does it: observations count as evenly spread within their bucket. 0 when there were none. */
export function bucketPercentile(buckets: Buckets, share: number): number {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const wanted = (sorted.at(-1)?.[1] ?? 0) * share;
  const at = sorted.findIndex(([, count]) => count >= wanted);
  const [bound, count] = sorted[at] ?? [Number.NaN, 0];
  const [below, countBelow] = sorted[at - 1] ?? [0, 0];
  if (wanted === 0) return 0;
  return Number.isFinite(bound) ? below + ((bound - below) * (wanted - countBelow)) / (count - countBelow) : below;
}
