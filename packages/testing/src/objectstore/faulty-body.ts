import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { FaultAt } from "./contract/store-harness.ts";

type FaultKind = "cut" | "stall";

interface Armed {
  readonly kind: FaultKind;
  readonly afterBytes: number;
  times: number;
  readonly only: RegExp | undefined;
}

/** The faults that bodies in one direction are to meet. */
export class ArmedFaults {
  bytesPerSecond = Number.POSITIVE_INFINITY;
  /** How many were used up since the last clear. */
  met = 0;
  #faults: Armed[] = [];

  add({ kind, afterBytes, times, only }: FaultAt & { readonly kind: FaultKind }): void {
    this.#faults.push({ kind, afterBytes, times, only });
  }

  clear(): void {
    this.#faults = [];
    this.met = 0;
    this.bytesPerSecond = Number.POSITIVE_INFINITY;
  }

  /** Uses up one of those that are meant for a request, and whose place is this one. */
  take(request: string, isHere: (afterBytes: number) => boolean): FaultKind | undefined {
    const fault = this.#meantFor(request).find(({ afterBytes }) => isHere(afterBytes));
    if (!fault) return undefined;
    fault.times -= 1;
    this.met += 1;
    return fault.kind;
  }

  /** How many of the next bytes of a body may still pass before a fault. */
  room(request: string, passed: number, length: number): number {
    const places = this.#meantFor(request).map(({ afterBytes }) => Math.max(0, afterBytes - passed));
    return Math.min(length, ...places);
  }

  #meantFor(request: string): Armed[] {
    return this.#faults.filter(({ times, only }) => times > 0 && (only?.test(request) ?? true));
  }
}

/** Passes a body on, at the pace and with the faults that are set; rejects when the connection has to break. */
export async function passBody(request: string, from: Readable, to: Writable, faults: ArmedFaults): Promise<void> {
  let passed = 0;
  // Not destroyed when a fault ends the loop: that would wait for the rest of the body first.
  for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    const room = faults.room(request, passed, chunk.length);
    await write(to, chunk.subarray(0, room), faults);
    if (room < chunk.length) {
      const kind = faults.take(request, (place) => place <= passed + room);
      if (kind === "cut") throw new Error("cut, as asked");
      // The connections stay, and nothing more passes.
      if (kind === "stall") return await once(to, "close").then(() => undefined);
      await write(to, chunk.subarray(room), faults);
    }
    passed += chunk.length;
  }
  to.end();
}

async function write(to: Writable, chunk: Buffer, faults: ArmedFaults): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const isSlow = Number.isFinite(faults.bytesPerSecond);
    const slice = chunk.subarray(at, isSlow ? at + Math.ceil(faults.bytesPerSecond / 50) : undefined);
    at += slice.length;
    if (isSlow) await pause(20);
    // A server that answers early does not read on; what is still sent is dropped, so that the connection stays in
    // order.
    if (to.destroyed) return;
    if (!to.write(slice)) await drained(to);
  }
}

/** Also when there is no reader any more. */
async function drained(to: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const over = () => {
      to.off("drain", over).off("close", over);
      resolve();
    };
    to.on("drain", over).on("close", over);
  });
}
