import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Access } from "../lone-api-server.ts";
import type { Order, Report, Word } from "./messages.ts";

const PROGRAM = fileURLToPath(new URL("./simulation-process.ts", import.meta.url));

/** The process that all members and their kubelet live in. */
export class Simulation {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  static async start(access: Access, isTls: boolean): Promise<Simulation> {
    const simulation = new Simulation();
    try {
      await simulation.#tell({ do: "begin", access, isTls });
      return simulation;
    } catch (error) {
      await simulation.stop();
      throw error;
    }
  }

  private constructor() {
    this.#child = fork(PROGRAM, [], { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#ended = once(this.#child, "exit").then(() => {
      throw new Error("the process that simulates members has ended");
    });
    this.#ended.catch(() => undefined);
  }

  /** Resets the counters. */
  async mark(): Promise<void> {
    await this.#tell({ do: "mark" });
  }

  /** From now on these members answer nothing. */
  async silence(addresses: readonly string[]): Promise<void> {
    await this.#tell({ do: "silence", addresses });
  }

  async report(): Promise<Report> {
    return this.#tell({ do: "report" });
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended.catch(() => undefined);
  }

  /** One order at a time, so the next word is the answer. */
  async #tell(order: Order): Promise<Report> {
    const answered = once(this.#child, "message");
    this.#child.send(order);
    const [word] = (await Promise.race([answered, this.#ended])) as [Word];
    if (word.kind === "failed") throw new Error(`the process that simulates members failed: ${word.why}`);
    return word.report;
  }
}
