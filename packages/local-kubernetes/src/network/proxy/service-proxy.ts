import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Backend, forward } from "./forward.ts";

export interface ServiceProxyOptions {
  readonly log: (line: string) => void;
  readonly random?: () => number;
  readonly connectTimeoutMs?: number;
  readonly retryMs?: number;
}

/** Where connections to "ip:port" go. */
export type Routes = ReadonlyMap<string, readonly Backend[]>;

interface Listener {
  backends: readonly Backend[];
  readonly stop: AbortController;
  readonly closed: Promise<void>;
}

/**
 * Listens on the addresses of Services and forwards each connection to one of the backends that are ready at that
 * moment.
 */
export class ServiceProxy {
  readonly #listeners = new Map<string, Listener>();
  readonly #owned = new Map<string, readonly string[]>();
  readonly #sockets = new Set<Socket>();
  readonly #options: Required<ServiceProxyOptions>;

  constructor(options: ServiceProxyOptions) {
    this.#options = { random: Math.random, connectTimeoutMs: 1_000, retryMs: 500, ...options };
  }

  /** Sets all routes of one owner, such as a Service; what it had before and lacks now is closed. */
  setRoutes(owner: string, routes: Routes): void {
    // There is no listener without a backend: the kernel then refuses at once, as it would for a process that is not
    // there.
    const alive = [...routes].filter(([, backends]) => backends.length > 0);
    const kept = new Set(alive.map(([address]) => address));
    for (const address of this.#owned.get(owner) ?? []) if (!kept.has(address)) this.#close(address);
    if (kept.size === 0) this.#owned.delete(owner);
    else this.#owned.set(owner, [...kept]);
    for (const [address, backends] of alive) this.#open(address, backends);
  }

  /** The addresses that are being served. */
  get addresses(): readonly string[] {
    return [...this.#listeners.keys()];
  }

  /** Ends everything, established connections included. */
  async close(): Promise<void> {
    const closed = [...this.#listeners.values()].map((listener) => listener.closed);
    for (const address of this.addresses) this.#close(address);
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await Promise.all(closed);
  }

  #open(address: string, backends: readonly Backend[]): void {
    const known = this.#listeners.get(address);
    if (known) {
      known.backends = backends;
      return;
    }
    const stop = new AbortController();
    const listener: Listener = { backends, stop, closed: this.#listen(address, () => listener.backends, stop.signal) };
    this.#listeners.set(address, listener);
  }

  #close(address: string): void {
    this.#listeners.get(address)?.stop.abort();
    this.#listeners.delete(address);
  }

  async #listen(address: string, backends: () => readonly Backend[], signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await this.#serve(address, backends, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (attempt === 1) this.#options.log(`cannot listen on ${address} yet: ${(error as Error).message}`);
        await pause(this.#options.retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #serve(address: string, backends: () => readonly Backend[], signal: AbortSignal): Promise<void> {
    const [host = "", port = ""] = address.split(":");
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      void forward(socket, shuffled(backends(), this.#options.random), this.#options);
    });
    const closed = once(server, "close");
    // Aborting stops listening only: connections outlive the change of a Service, as they do with kube-proxy.
    server.listen({ host, port: Number(port), signal, backlog: 511 });
    await closed;
  }
}

/** The same things in a random order. */
export function shuffled<Thing>(things: readonly Thing[], random: () => number): Thing[] {
  const result = [...things];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other] as Thing, result[last] as Thing];
  }
  return result;
}
