import type { Logger } from "@etcd-operator/controller-runtime";
import { type Clock, hasCode, pause } from "@etcd-operator/kubernetes-client";

export interface ChaosOptions<T> {
  /** 1 kills one pod, 2 up to five; any other none. */
  readonly level: number;
  /** The members' pods that run at the moment. */
  readonly pods: () => readonly T[];
  readonly kill: (pod: T, signal: AbortSignal) => Promise<void>;
  readonly nameOf: (pod: T) => string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

const EVERY_MS = 30_000;
const PROBABILITY = 0.5;
const MOST_KILLED: Readonly<Record<number, number>> = { 1: 1, 2: 5 };

/** Kills members from time to time, for the sake of testing; until the signal aborts. */
export async function runChaos<T>(options: ChaosOptions<T>, signal: AbortSignal): Promise<void> {
  const { level, clock, logger } = options;
  if (MOST_KILLED[level] === undefined) return;
  logger.warn({ chaosLevel: level }, "chaos: members will be killed from time to time");
  while (!signal.aborted) {
    await pause(clock, EVERY_MS, signal);
    if (signal.aborted) return;
    await Promise.all(victims(options.pods(), options).map((pod) => kill(pod, options, signal)));
  }
}

/** The members to kill this time, at random; often none. */
export function victims<T>(
  pods: readonly T[],
  { level, random }: { level: number; random: () => number },
): readonly T[] {
  const most = MOST_KILLED[level] ?? 0;
  if (most === 0 || random() >= PROBABILITY) return [];
  const count = Math.min(1 + Math.floor(random() * most), pods.length);
  const left = [...pods];
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}

async function kill<T>(pod: T, { kill: end, nameOf, logger }: ChaosOptions<T>, signal: AbortSignal): Promise<void> {
  try {
    logger.warn({ pod: nameOf(pod) }, "chaos: killing a member");
    await end(pod, signal);
  } catch (error) {
    // It went by itself, or another time will do: chaos has no plan to keep.
    if (!signal.aborted && !hasCode(error, "not-found", "conflict"))
      logger.warn({ err: error }, "chaos: could not kill a member");
  }
}
