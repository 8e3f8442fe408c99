import { once } from "node:events";
import type { Server as HttpsServer } from "node:https";
import { createServer, isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const RETRY_MS = 500;

/**
 * Lets a server answer on a second address too, until the signal. The bridge that has it may come up later, or go and
 * come back, so a port that cannot be had is tried again.
 */
export async function listenAlsoOn(
  server: HttpsServer,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<void> {
  if (isIP(host) === 0 || host === "127.0.0.1") return;
  while (!signal.aborted) {
    const listener = createServer((socket) => server.emit("connection", socket));
    try {
      listener.listen(port, host);
      await once(listener, "listening", { signal });
      await once(listener, "close", { signal });
    } catch {
      listener.close();
      await pause(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}
