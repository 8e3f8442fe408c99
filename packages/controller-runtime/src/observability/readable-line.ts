interface Line {
  readonly time?: string;
  readonly level?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly [field: string]: unknown;
}

/** A line of the log as a person reads it: time, level, message, then the fields. */
export function readableLine(json: string): string {
  const { time = "", level = "", msg = "", err, ...fields } = JSON.parse(json) as Line;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${wordOf(value)}`);
  const why = err?.message ? [`– ${err.message}`] : [];
  return `${[time.slice(11, 19), level.toUpperCase().padEnd(5), msg, ...why, ...shown].join(" ")}\n`;
}

function wordOf(value: unknown): string {
  return typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}
