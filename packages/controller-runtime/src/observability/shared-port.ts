import { type HealthServer, isServedByOurs, serveHealth } from "./health-server.ts";
import { ListenError } from "./listen-error.ts";
import type { Logger } from "./logger.ts";

export interface SharedPortOptions {
  readonly logger: Pick<Logger, "info" | "warn">;
  /** Runs something later, and returns what cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export interface SharedHealthServer {
  /** Undefined while another program serves the address. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

const RETRY_MS = 5_000;

/**
 * Serves the health endpoints as `serveHealth` does. Several programs of the operator may be containers of one pod, as
 * in old manifests, with the same address: one of them serves it, for the others that is no reason to end, and when it
 * ends another one takes over. An address that any other program has is an error: its answers would be taken for ours
 * by probes and scrapes.
 */
export async function serveHealthOnSharedPort(
  listenAddr: string,
  parts: Parameters<typeof serveHealth>[1],
  options: SharedPortOptions,
): Promise<SharedHealthServer> {
  const shared = new SharedPort(() => serveHealth(listenAddr, parts), listenAddr, options);
  await shared.open();
  return shared;
}

class SharedPort implements SharedHealthServer {
  readonly #serve: () => Promise<HealthServer>;
  readonly #address: string;
  readonly #options: SharedPortOptions;
  #server: HealthServer | undefined;
  #trying: Promise<void> = Promise.resolve();
  #cancel: () => void = () => undefined;
  #isClosed = false;

  constructor(serve: () => Promise<HealthServer>, address: string, options: SharedPortOptions) {
    this.#serve = serve;
    this.#address = address;
    this.#options = options;
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  async open(): Promise<void> {
    try {
      this.#server = await this.#serve();
    } catch (error) {
      if (!isTaken(error) || !(await isServedByOurs(this.#address))) throw error;
      this.#options.logger.warn(
        { address: this.#address },
        "another program of the operator serves /metrics, /healthz and /readyz on this address, so this one does not; to have both, give each its own --listen-addr",
      );
      this.#tryLater();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#trying;
    await this.#server?.close();
  }

  #tryLater(): void {
    this.#cancel = this.#options.after(RETRY_MS, () => {
      this.#trying = this.#tryAgain();
    });
  }

  async #tryAgain(): Promise<void> {
    this.#server = await this.#serve().catch(() => undefined);
    if (this.#server)
      this.#options.logger.info({ address: this.#address }, "serving /metrics, /healthz and /readyz now");
    else if (!this.#isClosed) this.#tryLater();
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof ListenError && error.code === "address-in-use";
}
