import { type ChildProcess, spawn } from "node:child_process";
import type { WebSocket } from "ws";
import type { RunningContainer } from "../container-run.ts";
import { endOf, execCommandLine, runExec } from "../sandbox/exec-process.ts";
import { killQuietly, onlyChildOf } from "../sandbox/host-pid.ts";
import { toolPath } from "../sandbox/host-tools.ts";
import { exitReport, terminalCommand } from "./exec-command.ts";

export interface ExecRequest {
  readonly command: readonly string[];
  readonly hasStdin: boolean;
  readonly hasTerminal: boolean;
}

// The channels of v4.channel.k8s.io; version 5 adds the one that closes another.
const [stdin, stdout, stderr, failure, resize, closing] = [0, 1, 2, 3, 4, 255];

const sizePatienceMs = 50;

interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** Connects a program in a container with whoever is at the other end of the socket, until it ends. */
export async function serveExec(socket: WebSocket, running: RunningContainer, request: ExecRequest): Promise<void> {
  const session = new ExecSession(socket, running, request);
  await session.run();
}

class ExecSession {
  readonly #socket: WebSocket;
  readonly #running: RunningContainer;
  readonly #request: ExecRequest;
  readonly #early: Buffer[] = [];
  #child: ChildProcess | undefined;
  #size: TerminalSize | undefined;
  #terminal: string | undefined;
  #isInputOver = false;
  #onSize: () => void = () => undefined;

  constructor(socket: WebSocket, running: RunningContainer, request: ExecRequest) {
    this.#socket = socket;
    this.#running = running;
    this.#request = request;
    socket.on("message", (data: Buffer) => this.#receive(data[0] ?? 0, data.subarray(1)));
    socket.once("close", () => this.#hangUp());
  }

  async run(): Promise<void> {
    if (this.#request.hasTerminal) await this.#firstSize();
    const child = this.#start();
    this.#child = child;
    for (const input of this.#early) child.stdin?.write(input);
    if (!this.#request.hasStdin || this.#isInputOver) child.stdin?.end();
    const outputs = [this.#forward(child, stdout), this.#forward(child, stderr)];
    const exitCode = await endOf(child);
    await Promise.all(outputs);
    this.#send(failure, Buffer.from(JSON.stringify(exitReport(exitCode))));
    this.#socket.close(1000);
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

  async #forward(child: ChildProcess, channel: number): Promise<void> {
    const from = channel === stdout ? child.stdout : child.stderr;
    await new Promise<void>((resolve) => {
      from?.on("data", (chunk: Buffer) => this.#send(channel, chunk));
      from?.once("close", resolve);
      // What outlives the command and holds its output open is not waited for.
      child.once("exit", () => setTimeout(resolve, 200));
    });
  }

  #send(channel: number, data: Buffer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(Buffer.concat([Buffer.of(channel), data]));
  }

  #receive(channel: number, data: Buffer): void {
    if (channel === stdin) {
      if (this.#child) this.#child.stdin?.write(data);
      else this.#early.push(data);
    } else if (channel === closing && data[0] === stdin) {
      this.#isInputOver = true;
      this.#child?.stdin?.end();
    } else if (channel === resize) this.#resize(data);
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
    const inside = this.#request.hasTerminal ? onlyChildOf(child.pid ?? 0) : undefined;
    if (inside !== undefined) killQuietly(inside, "SIGHUP");
  }
}
