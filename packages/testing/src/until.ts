import { setTimeout as pause } from "node:timers/promises";

interface Patience {
  /** What is waited for, in words that fit "gave up waiting for …". */
  readonly what: string;
  readonly timeoutMs?: number;
  readonly everyMs?: number;
  /** Ends the waiting by rejecting, when it has become pointless. */
  readonly unless?: Promise<never>;
}

/** Asks until the answer is neither undefined nor false, and returns it; an answer that throws counts as "not yet". */
export async function until<Answer>(
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  { what, timeoutMs = 30_000, everyMs = 50, unless }: Patience,
): Promise<Answer> {
  const pointless = unless === undefined ? [] : [unless];
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  while (performance.now() < deadline) {
    try {
      const answer = await Promise.race([ask(), ...pointless]);
      if (answer !== undefined && answer !== false) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await Promise.race([pause(everyMs), ...pointless]);
  }
  throw new Error(`gave up waiting for ${what} after ${timeoutMs} ms`, { cause: lastError });
}
