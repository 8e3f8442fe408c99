const LONGEST = 500;

/** The last thing that a log says; of a line of JSON its message. */
export function lastWords(log: string): string {
  const line = log.trimEnd().split("\n").at(-1) || "none";
  return (messageIn(line) ?? line).slice(0, LONGEST);
}

function messageIn(line: string): string | undefined {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === "string" ? msg : undefined;
  } catch {
    return undefined;
  }
}
