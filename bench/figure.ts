/** One measured figure beside its limit: what else was measured in the same run, or the bound that was promised. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Median of the runs. */
  readonly value: number;
  readonly limit: number;
  readonly ratio: number;
  /** The ratio may not be larger than this. */
  readonly goal: number;
  readonly met: boolean;
  readonly range: readonly [least: number, most: number];
  /** How many runs there were. */
  readonly runs: number;
  /** What the value is the sum of, by name. */
  readonly parts?: Readonly<Record<string, number>>;
}

interface Measurement {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly limits: readonly number[];
  readonly goal: number;
  readonly parts?: Readonly<Record<string, number>>;
}

export function figure({ name, unit, values, limits, goal, parts }: Measurement): Figure {
  const [value, limit] = [median(values), median(limits)];
  const ratio = value / limit;
  return {
    name,
    unit,
    value,
    limit,
    ratio,
    goal,
    met: ratio <= goal,
    range: [Math.min(...values), Math.max(...values)],
    runs: values.length,
    ...(parts && { parts }),
  };
}

/** The figures as lines of text, one each, under a header. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.flatMap((shown) => [
    [
      shown.name,
      `${short(shown.value)} ${shown.unit}`,
      shown.range.map(short).join("–"),
      `${shown.runs}`,
      short(shown.limit),
      shown.ratio.toFixed(2),
      `≤ ${shown.goal}`,
      shown.met ? "met" : "MISSED",
    ],
    ...Object.entries(shown.parts ?? {}).map(([part, value]) => [`  ${part}`, `${short(value)} ${shown.unit}`]),
  ]);
  const all: string[][] = [["figure", "median", "range", "runs", "limit", "ratio", "goal", ""], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Less than 1 needs another digit, or a tenth and a little more look the same. */
function short(value: number): string {
  return value.toFixed(Math.abs(value) < 1 && value !== 0 ? 2 : 1);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
