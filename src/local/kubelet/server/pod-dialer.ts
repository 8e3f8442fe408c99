import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { toolAt, toolPath } from "../sandbox/host-tools.ts";

// A program of its own, because a process is in one network only. What it connects it hands over: nothing passes through it.
const script = `
const { connect } = require("node:net");
const hosts = ["127.0.0.1", "::1"];
function dial(id, port, failures) {
  const host = hosts[failures.length];
  if (!host) return process.send({ id, failures });
  const socket = connect({ host, port, allowHalfOpen: true }).pause();
  socket.once("error", ({ code, message }) => dial(id, port, [...failures, code || message]));
  socket.once("connect", () => process.send({ id }, socket));
}
process.on("message", ({ id, port }) => dial(id, port, []));
process.on("disconnect", () => process.exit());
`;

interface Answer {
  readonly id: number;
  /** Why neither address answers, the one of IPv4 first. */
  readonly failures?: readonly string[];
}

interface Call {
  readonly port: number;
  resolve(socket: Socket): void;
  reject(error: Error): void;
}

/** Connects to ports as a pod's own processes see them, also to those on its loopback only. */
export class PodDialer {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;

  /** `pid`: a process in the pod's network. */
  constructor(pid: number) {
    const words = ["--target", String(pid), "--net", "--", process.execPath, "-e", script];
    this.#child = spawn(toolAt("nsenter"), words, {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { PATH: toolPath },
    });
    this.#child.on("message", (answer, socket) => this.#answer(answer as Answer, socket as Socket | undefined));
    for (const event of ["exit", "error"]) this.#child.once(event, () => this.#fail());
  }

  async dial(port: number): Promise<Socket> {
    if (!this.#child.connected) throw closed();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { port, resolve, reject });
      this.#child.send({ id, port });
    });
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }

  #answer({ id, failures = [] }: Answer, socket: Socket | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (!socket) {
      call?.reject(refused(call.port, failures));
      return;
    }
    // It was made by another process, whose setting does not come along.
    socket.allowHalfOpen = true;
    if (call) call.resolve(socket);
    else socket.destroy();
  }

  #fail(): void {
    for (const { reject } of this.#calls.values()) reject(closed());
    this.#calls.clear();
  }
}

function closed(): Error {
  return new Error("network namespace closed");
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ETIMEDOUT: "connection timed out",
  EADDRNOTAVAIL: "cannot assign requested address",
  ENETUNREACH: "network is unreachable",
};

// As a container runtime says it, since kubectl shows it.
function refused(port: number, [four = "", six = ""]: readonly string[]): Error {
  const [v4, v6] = [four, six].map((code) => WORDS[code] ?? code);
  const why = `IPv4: dial tcp4 127.0.0.1:${port}: connect: ${v4} IPv6 dial tcp6 [::1]:${port}: connect: ${v6}`;
  return new Error(`failed to connect to localhost:${port} inside the pod's network, ${why}`);
}
