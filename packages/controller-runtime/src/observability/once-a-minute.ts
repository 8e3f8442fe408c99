const MINUTE_MS = 60_000;
const [WARN, ERROR] = [40, 50];

/** As pino hands it over: fields and a message, or a message alone. */
type LogArguments = [fields: unknown, ...message: unknown[]];

/** What becomes of a line: it is written as it is, in other words, or only for those who debug. */
export type Passage = { readonly args: LogArguments; readonly isDebug: boolean };

/**
 * While the API server is away, everything that asks it fails, again and again. One line a minute says so; the others
 * are for those who debug. An error that the API server has answered with is never left out.
 */
export class OnceAMinute {
  readonly #nowMs: () => number;
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  passageOf(args: LogArguments, level: number): Passage {
    const [fields, message, ...rest] = args;
    if (!isOfOutage(fields) || (level !== WARN && level !== ERROR)) return { args, isDebug: false };
    if (this.#nowMs() - this.#toldAtMs < MINUTE_MS) {
      this.#leftOut += 1;
      return { args, isDebug: true };
    }
    const leftOut = this.#leftOut;
    [this.#toldAtMs, this.#leftOut] = [this.#nowMs(), 0];
    const told = `the API server does not answer: retrying, and logging this once a minute (${message})`;
    return { args: [leftOut > 0 ? { ...fields, leftOut } : fields, told, ...rest], isDebug: false };
  }
}

/** Whether there was no answer at all; the class is of a room that knows more than this one. */
function isOfOutage(fields: unknown): fields is { readonly err: Error } {
  if (typeof fields !== "object" || fields === null || !("err" in fields) || !(fields.err instanceof Error))
    return false;
  const { name, code, status } = fields.err as Error & { readonly code?: unknown; readonly status?: unknown };
  return name === "KubernetesError" && (code === "unavailable" || code === "timeout") && status === undefined;
}
