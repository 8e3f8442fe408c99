import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { RunningContainer } from "../container-run.ts";
import { endOf, execCommandLine, runExec } from "../sandbox/exec-process.ts";
import { killQuietly, onlyChildOf } from "../sandbox/host-pid.ts";
import { toolPath } from "../sandbox/host-tools.ts";
import type { CommandStreams } from "./command-streams.ts";
import { exitReport, terminalCommand } from "./exec-command.ts";

export interface ExecRequest {
  readonly command: readonly string[];
  readonly hasStdin: boolean;
  readonly hasTerminal: boolean;
}

const sizePatienceMs = 50;
const outputPatienceMs = 200;

interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** Connects a program in a container with the client at the other end of the streams, until it ends. */
export async function serveExec(
  streams: CommandStreams,
  running: RunningContainer,
  request: ExecRequest,
): Promise<void> {
  const session = new ExecSession(streams, running, request);
  await session.run();
}

class ExecSession {
  readonly #streams: CommandStreams;
  readonly #running: RunningContainer;
  readonly #request: ExecRequest;
  #child: ChildProcess | undefined;
  #size: TerminalSize | undefined;
  #terminal: string | undefined;
  #onSize: () => void = () => undefined;

  constructor(streams: CommandStreams, running: RunningContainer, request: ExecRequest) {
    this.#streams = streams;
    this.#running = running;
    this.#request = request;
    streams.resize.on("data", (data: Buffer) => this.#resize(data));
    void streams.gone.then(() => this.#hangUp());
  }

  async run(): Promise<void> {
    const { stdin, stdout, stderr, failure } = this.#streams;
    if (this.#request.hasTerminal) await this.#firstSize();
    const child = this.#start();
    this.#child = child;
    if (this.#request.hasStdin && child.stdin) stdin.pipe(child.stdin);
    else child.stdin?.end();
    const outputs = [forwarded(child, child.stdout, stdout), forwarded(child, child.stderr, stderr)];
    const exitCode = await endOf(child);
    await Promise.all(outputs);
    await saidLast(failure, Buffer.from(JSON.stringify(exitReport(exitCode))));
    this.#streams.close();
  }

  #start(): ChildProcess {
    const { command, hasTerminal } = this.#request;
    const { process, launch } = this.#running;
    const words = hasTerminal ? terminalCommand(command, this.#size) : command;
    const env = hasTerminal && !launch.env.has("TERM") ? new Map([...launch.env, ["TERM", "xterm"]]) : launch.env;
    const [file, args] = execCommandLine(process.pid, { ...launch, env }, words);
    const child = spawn(file, args, {
      stdio: ["pipe", "pipe", "pipe", hasTerminal ? "pipe" : "ignore"],
      env: { PATH: toolPath },
    });
    child.stdin?.on("error", () => undefined);
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      this.#terminal ??= chunk.toString().trim();
    });
    return child;
  }

  #resize(data: Buffer): void {
    try {
      const { Width, Height } = JSON.parse(data.toString()) as { Width: number; Height: number };
      this.#size = { rows: Math.trunc(Height), columns: Math.trunc(Width) };
    } catch {
      return;
    }
    this.#onSize();
    if (!this.#terminal) return;
    const { process, launch } = this.#running;
    const words = ["stty", "-F", this.#terminal, "rows", String(this.#size.rows), "cols", String(this.#size.columns)];
    void runExec(process.pid, launch, words, 5_000);
  }

  /** A client with a terminal tells its size at once; waiting for it spares the program a change of size. */
  async #firstSize(): Promise<void> {
    if (this.#size) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, sizePatienceMs);
      this.#onSize = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #hangUp(): void {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    child.stdin?.destroy();
    // What it prints has no reader any more, and must not hold it up.
    for (const output of [child.stdout, child.stderr]) output?.unpipe().resume();
    const inside = this.#request.hasTerminal ? onlyChildOf(child.pid ?? 0) : undefined;
    if (inside !== undefined) killQuietly(inside, "SIGHUP");
  }
}

/** Resolves when everything that a program printed has been handed on. */
async function forwarded(child: ChildProcess, from: Readable | null, to: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    from?.pipe(to, { end: false });
    from?.once("close", resolve);
    // What outlives the command and holds its output open is not waited for, once it is silent.
    child.once("exit", () => {
      const impatience = () => setTimeout(resolve, outputPatienceMs);
      let timer = impatience();
      from?.on("data", () => {
        clearTimeout(timer);
        timer = impatience();
      });
    });
  });
  await saidLast(to);
}

/** Resolves when what was written is on its way, or cannot be sent any more. */
export async function saidLast(to: Writable, last?: Buffer): Promise<void> {
  if (to.destroyed) return;
  await new Promise<void>((resolve) => {
    to.once("close", resolve);
    to.end(last, () => resolve());
  });
}
