import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { KubeletError } from "./kubelet-error.ts";

/**
 * Gives out the addresses of pods, one after the other, so that one which was just given back is not met again soon.
 */
export class IpPool {
  readonly #first: number;
  readonly #count: number;
  readonly #reserved: ReadonlySet<string>;
  readonly #inUse = new Set<string>();
  readonly #cursorFile: string;
  #cursor: number;

  /** The file keeps the place over restarts. */
  constructor(cidr: string, reserved: readonly string[], cursorFile: string) {
    const [base = "", length = ""] = cidr.split("/");
    this.#first = numberOf(base);
    this.#count = 2 ** (32 - Number(length));
    this.#reserved = new Set(reserved);
    this.#cursorFile = cursorFile;
    this.#cursor = savedCursor(cursorFile);
  }

  take(): string {
    for (let tries = 0; tries < this.#count; tries += 1) {
      this.#cursor = (this.#cursor + 1) % this.#count;
      const ip = textOf(this.#first + this.#cursor);
      const isEdge = this.#cursor === 0 || this.#cursor === this.#count - 1;
      if (isEdge || this.#reserved.has(ip) || this.#inUse.has(ip)) continue;
      this.#inUse.add(ip);
      mkdirSync(dirname(this.#cursorFile), { recursive: true });
      writeFileSync(this.#cursorFile, String(this.#cursor));
      return ip;
    }
    throw new KubeletError("set-up-failed", `all ${this.#count} addresses for pods are in use`);
  }

  giveBack(ip: string): void {
    this.#inUse.delete(ip);
  }
}

function savedCursor(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10) || 0;
  } catch {
    return 0;
  }
}

function numberOf(ip: string): number {
  return ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

/** The n-th address of a range. */
export function nthAddress(cidr: string, n: number): string {
  return textOf(numberOf(cidr.split("/")[0] ?? "") + n);
}
