import { idleProgram, type Program } from "./program.ts";

/** The workers that serve a volume, by the address at which they do. */
export class ServingWorkers {
  readonly #addresses = new Set<string>();

  serve(address: string): Program {
    const program = idleProgram();
    this.#addresses.add(address);
    void program.ended.then(() => this.#addresses.delete(address));
    return program;
  }

  isServing(address: string): boolean {
    return this.#addresses.has(address);
  }
}
