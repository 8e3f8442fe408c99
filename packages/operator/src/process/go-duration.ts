const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/y;

/** Reads a duration as Go writes it, such as "10m" or "1h30m"; undefined when it is none. */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") return 0;
  let ms = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, amount, unit] = PART.exec(text) ?? [];
    if (amount === undefined || unit === undefined) return undefined;
    ms += Number(amount) * (MS_PER_UNIT[unit] ?? Number.NaN);
  }
  return text === "" ? undefined : ms;
}
