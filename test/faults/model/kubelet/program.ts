import type { Probe } from "kubernetes-types/core/v1.d.ts";

export interface ProgramEnd {
  readonly exitCode: number;
  readonly message?: string;
}

/** What runs in a container. */
export interface Program {
  readonly ended: Promise<ProgramEnd>;
  /** As SIGTERM does. */
  stop(): void;
  /** As SIGKILL does. */
  kill(): void;
  /** What a probe finds; absent where nothing listens. */
  answers?(probe: Probe): boolean;
  /** Called when a probe may find something else; returns what ends it. */
  onChange?(look: () => void): () => void;
}

/** A program that ends when asked to, or by itself. */
export function idleProgram(): Program & { end(end: ProgramEnd): void } {
  let end: (end: ProgramEnd) => void = () => undefined;
  const ended = new Promise<ProgramEnd>((resolve) => {
    end = resolve;
  });
  return { ended, end, stop: () => end({ exitCode: 0 }), kill: () => end({ exitCode: 137 }), answers: () => true };
}

/** A program that has done its work by the time it is asked about. */
export function finishedProgram(end: ProgramEnd): Program {
  return { ended: Promise.resolve(end), stop: () => undefined, kill: () => undefined };
}
