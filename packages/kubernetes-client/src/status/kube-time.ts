/** A time as Kubernetes writes it, in whole seconds. */
export function rfc3339(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** undefined for what is no time: a status may have been written by anybody. */
export function parseTime(text: string | null | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}
