import { connect, type Socket } from "node:net";

export interface Backend {
  readonly ip: string;
  readonly port: number;
}

export interface ForwardOptions {
  readonly connectTimeoutMs: number;
}

/**
 * Joins a client's connection with the first backend that takes one; the client's is reset when none does. The client
 * must be paused: not a byte of it is read before a backend is connected, so that trying the next can neither lose nor
 * repeat any.
 */
export async function forward(client: Socket, backends: readonly Backend[], options: ForwardOptions): Promise<void> {
  client.on("error", () => client.destroy());
  for (const backend of backends) {
    const upstream = await tryToConnect(backend, options.connectTimeoutMs);
    if (client.destroyed) {
      upstream?.resetAndDestroy();
      return;
    }
    if (upstream) {
      join(client, upstream);
      return;
    }
  }
  client.resetAndDestroy();
}

function tryToConnect({ ip, port }: Backend, timeoutMs: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const upstream = connect({ host: ip, port, allowHalfOpen: true, noDelay: true });
    const giveUp = () => {
      upstream.destroy();
      resolve(undefined);
    };
    upstream.setTimeout(timeoutMs, giveUp);
    upstream.once("error", giveUp);
    upstream.once("connect", () => {
      upstream.setTimeout(0);
      upstream.off("error", giveUp);
      resolve(upstream);
    });
  });
}

const KEEP_ALIVE_AFTER_MS = 10_000;

function join(client: Socket, upstream: Socket): void {
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    // Finds out that a pod is gone which had no time to say so.
    one.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
    // One side's end is the other's, so that half-closed connections stay half-open.
    one.pipe(other);
    one.on("error", () => other.resetAndDestroy());
    one.once("close", () => one.readableEnded || other.resetAndDestroy());
  }
}
