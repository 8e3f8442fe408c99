import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inWords } from "./in-words.ts";
import type { Order, Stop, Word } from "./messages.ts";

const PROGRAM = fileURLToPath(new URL("./suite-process.ts", import.meta.url));
const LOADING_MS = 120_000;
const LAST_OUTPUT_MS = 1000;

export interface ChildGiven {
  /** The module that has the list of suites. */
  readonly module: URL;
  readonly order: Order;
  /** For how long it may say nothing once it has begun. */
  readonly patienceMs: number;
  /** How long it may take to end what it has started. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /** Shows what it prints; else that is kept for the message of its death. */
  readonly isEchoed?: boolean | undefined;
  /** A module that it imports before all else, and what that finds in its environment. */
  readonly prelude?: { readonly module: URL; readonly env: Readonly<Record<string, string>> } | undefined;
  hear(word: Exclude<Word, { kind: "end" }>): void;
}

/** How it ended: as it should, because we ended it, or early. */
export type Outcome = { readonly kind: "done" | "stopped" } | { readonly kind: "lost"; readonly why: string };

/** Has a suite's process carry out an order, and always sees it end. */
export async function inSuiteChild(given: ChildGiven): Promise<Outcome> {
  if (given.signal.aborted) return { kind: "stopped" };
  const child = new SuiteChild(given);
  const stop = () => child.stop();
  given.signal.addEventListener("abort", stop, { once: true });
  try {
    return await child.outcome();
  } finally {
    given.signal.removeEventListener("abort", stop);
  }
}

class SuiteChild {
  readonly #given: ChildGiven;
  readonly #child: ChildProcess;
  readonly #printed = new Tail();
  readonly #ended: Promise<unknown>;
  #end: { readonly error?: string } | undefined;
  #hung = false;
  #patience: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(given: ChildGiven) {
    this.#given = given;
    // Structured clones: plans and results may hold whatever is data.
    const { prelude } = given;
    this.#child = fork(PROGRAM, [given.module.href], {
      execArgv: prelude ? ["--import", prelude.module.href] : [],
      env: { ...process.env, ...prelude?.env },
      serialization: "advanced",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    // Words may still arrive after the exit, none after the channel is closed.
    this.#ended = Promise.all([once(this.#child, "exit"), once(this.#child, "disconnect")]);
    this.#child.on("message", (word: Word) => this.#hear(word));
    for (const output of [this.#child.stdout, this.#child.stderr])
      output?.on("data", (data: Buffer) => this.#show(data));
    this.#waitOn(given.order.do === "run" ? LOADING_MS : given.patienceMs);
    this.#child.send(given.order);
  }

  async outcome(): Promise<Outcome> {
    const killWithUs = () => this.#child.kill("SIGKILL");
    process.once("exit", killWithUs);
    await this.#ended;
    process.off("exit", killWithUs);
    clearTimeout(this.#patience);
    clearTimeout(this.#grace);
    if (this.#given.signal.aborted) return { kind: "stopped" };
    if (this.#end && this.#end.error === undefined && !this.#hung) return { kind: "done" };
    return { kind: "lost", why: await this.#why() };
  }

  /** Lets it end what it has started, and kills it when that takes too long. */
  stop(): void {
    const { graceMs } = this.#given;
    if (graceMs === 0) {
      this.#child.kill("SIGKILL");
      return;
    }
    const stop: Stop = { do: "stop" };
    if (this.#child.connected) this.#child.send(stop);
    this.#grace ??= setTimeout(() => this.#child.kill("SIGKILL"), graceMs);
  }

  #hear(word: Word): void {
    this.#waitOn(this.#given.patienceMs);
    if (word.kind === "end") this.#end = word;
    else this.#given.hear(word);
  }

  #waitOn(forMs: number): void {
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      this.#hung = true;
      this.stop();
    }, forMs);
  }

  #show(data: Buffer): void {
    if (this.#given.isEchoed) process.stderr.write(data);
    else this.#printed.add(data.toString());
  }

  async #why(): Promise<string> {
    if (this.#end?.error !== undefined && !this.#hung) return this.#end.error;
    const { exitCode, signalCode, stdout, stderr } = this.#child;
    // Not for ever: a process that it has left behind may hold them open.
    const drained = Promise.all([stdout, stderr].map((output) => output?.closed || (output && once(output, "close"))));
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, LAST_OUTPUT_MS))]);
    const how = this.#hung
      ? `it hangs: nothing came from its process for ${inWords(this.#given.patienceMs)}`
      : `its process ended early (${signalCode ?? `exit code ${exitCode}`})`;
    return [how, this.#printed.text].filter(Boolean).join("; the last that it printed:\n");
  }
}

const MOST = 4000;

/** The end of a program's output. */
class Tail {
  #text = "";

  add(more: string): void {
    this.#text = (this.#text + more).slice(-MOST);
  }

  get text(): string {
    return this.#text.trim();
  }
}
