import { inWords } from "./in-words.ts";

/** Where a run is. */
export interface Progress {
  /** From 0 to 1. */
  readonly share: number;
  readonly done: number;
  readonly plans: number;
  readonly failures: number;
  readonly elapsedMs: number;
  /** What runs at the moment. */
  readonly now: string;
}

/** What is written to: a terminal, or something that keeps every line. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const BAR_WIDTH = 30;
const LINE_EVERY_PERCENT = 5;
const CLEAR_LINE = "\r\u001b[2K";

/** Shows how far a run is: on a terminal in one line that is rewritten, else in a line for every five percent. */
export class Screen {
  readonly #out: Output;
  #bar = "";
  #toldPercent = 0;

  constructor(out: Output) {
    this.#out = out;
  }

  progress(at: Progress): void {
    if (this.#out.isTTY) {
      this.#draw(barOf(at).slice(0, (this.#out.columns ?? 120) - 1));
      return;
    }
    const percent = Math.floor((at.share * 100) / LINE_EVERY_PERCENT) * LINE_EVERY_PERCENT;
    if (percent <= this.#toldPercent) return;
    this.#toldPercent = percent;
    this.#out.write(`${String(percent).padStart(3)} % ${factsOf(at)}\n`);
  }

  /** A line, or several, that stay. */
  say(text: string): void {
    this.#out.write(`${this.#bar ? CLEAR_LINE : ""}${text}\n${this.#bar}`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#bar) this.#out.write(CLEAR_LINE);
    this.#bar = "";
  }

  #draw(bar: string): void {
    if (bar === this.#bar) return;
    this.#bar = bar;
    this.#out.write(`${CLEAR_LINE}${bar}`);
  }
}

function barOf(at: Progress): string {
  const full = Math.floor(at.share * BAR_WIDTH);
  const percent = String(Math.floor(at.share * 100)).padStart(3);
  return `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}] ${percent} % ${factsOf(at)}`;
}

function factsOf({ done, plans, failures, elapsedMs, now }: Progress): string {
  return `${done} of ${plans} plans, ${failures} failures, ${inWords(Math.floor(elapsedMs / 1000) * 1000)}, ${now}`;
}
