import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the ports that Linux gives to outgoing connections: one of those could take a port between our look and its
// use.
const FIRST_PORT = 15_000;
const LAST_PORT = 32_767;
/** What this process has given out, and may not be in use yet. */
const givenOut = new Set<number>();

/** Ports of the loopback address that had no listener a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (givenOut.has(port) || !(await isFree(port))) continue;
    givenOut.add(port);
    ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    await once(server.close(), "close");
    return true;
  } catch {
    return false;
  }
}
