import { existsSync, readFileSync } from "node:fs";
import { type ContainerLog, olderFile } from "./container-log.ts";
import { type LogLine, type LogSelection, parseLogLine, selectLogLines, shownLogLine } from "./log-line.ts";

/**
 * Gives the text of a log, and goes on with what is written later if `live` is given, until it ends or `signal` aborts.
 */
export async function* readLog(
  file: string,
  selection: LogSelection,
  live: ContainerLog | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const arriving = live && new Arriving(live, signal);
  try {
    // Read in the same turn in which the following began: no line is lost, none comes twice.
    const old = selectLogLines(linesOf(file), selection).map((line) => shownLogLine(line, selection));
    let left = selection.limitBytes ?? Number.POSITIVE_INFINITY;
    for (let text: string | undefined = old.join(""); text !== undefined && left > 0; ) {
      const part = clipped(text, left);
      if (part !== "") yield part;
      left -= Buffer.byteLength(part);
      const line = left > 0 ? await arriving?.next() : undefined;
      text = line && shownLogLine(line, selection);
    }
  } finally {
    arriving?.stop();
  }
}

function clipped(text: string, maxBytes: number): string {
  return Buffer.byteLength(text) <= maxBytes ? text : Buffer.from(text).subarray(0, maxBytes).toString();
}

function linesOf(file: string): LogLine[] {
  return [olderFile(file), file]
    .flatMap((path) => (existsSync(path) ? [readFileSync(path, "utf8")] : []))
    .join("")
    .split("\n")
    .flatMap((line) => parseLogLine(line) ?? []);
}

/** The lines that are written from now on, kept until they are asked for. */
class Arriving {
  readonly #lines: LogLine[] = [];
  readonly stop: () => void;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(log: ContainerLog, signal: AbortSignal) {
    const end = () => {
      this.#isOver = true;
      this.#wake();
    };
    const unfollow = log.follow({
      onLine: (line) => {
        this.#lines.push(line);
        this.#wake();
      },
      onEnd: end,
    });
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    this.stop = () => {
      unfollow();
      signal.removeEventListener("abort", end);
    };
  }

  async next(): Promise<LogLine | undefined> {
    while (this.#lines.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift();
  }
}
