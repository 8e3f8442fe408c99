import { setTimeout as pause } from "node:timers/promises";

/** Looks again and again for a while: what must not happen can only be watched for. */
export async function staysSo(look: () => Promise<void>, { forMs }: { forMs: number }): Promise<void> {
  const deadline = performance.now() + forMs;
  while (performance.now() < deadline) {
    await look();
    await pause(250);
  }
}
