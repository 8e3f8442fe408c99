const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A size as a person reads it, such as "20 KiB" or "1.2 GiB"; below ten with one decimal, unless that is a zero. */
export function humanBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  const shown = value < 10 ? value.toFixed(1).replace(".0", "") : String(Math.round(value));
  return `${shown} ${UNITS[unit]}`;
}
