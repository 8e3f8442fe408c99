/**
 * What a program said last that tells why it ended, from the end of its log: the newest line of a JSON log with the
 * level "fatal" or "panic", else what Go prints of a panic, else the newest "error"; a text in which there is none of
 * these as it is.
 */
export function lastWords(log: string | undefined): string | undefined {
  if (log === undefined) return undefined;
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.flatMap((line) => entryIn(line) ?? []);
  const fatal = entries.findLast(({ level }) => level === "fatal" || level === "panic");
  const panic = lines.findLast((line) => line.startsWith("panic: "));
  const error = entries.findLast(({ level }) => level === "error");
  const telling = fatal ? sentence(fatal) : (panic ?? (error && sentence(error)));
  if (telling !== undefined) return telling;
  // Lines that tell of no trouble, and perhaps the rest of one that was cut off.
  return entries.length > 0 ? lines.findLast((line) => entryIn(line) === undefined && !line.startsWith("{")) : log;
}

interface LogEntry {
  readonly level?: unknown;
  readonly msg?: unknown;
  readonly error?: unknown;
}

function entryIn(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}

function sentence({ msg, error }: LogEntry): string {
  return [msg, error].filter((part) => typeof part === "string" && part !== "").join(": ");
}
