import type { EtcdModel } from "../model/etcd-model.ts";

const PACE_MS = 2_000;
const TIMEOUT_MS = 1_000;

const KEY = "witness";

/**
 * A client that writes through any member that answers, so that there is something to lose. The model remembers what
 * was acknowledged to it.
 */
export class Witness {
  readonly #etcd: Pick<EtcdModel, "processes" | "connect">;
  readonly #timer: NodeJS.Timeout;
  #writes = 0;

  constructor(etcd: Pick<EtcdModel, "processes" | "connect">) {
    this.#etcd = etcd;
    this.#timer = setInterval(() => void this.#write(), PACE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #write(): Promise<void> {
    const process = this.#etcd.processes.find(({ isServing, isLearner }) => isServing && !isLearner);
    if (!process) return;
    const address = `${process.launch.ip}:2379`;
    // The model does not ask for its identity.
    const endpoint = process.flags?.listensWithTls ? { address, tls: { ca: "" } } : { address };
    const client = this.#etcd.connect(endpoint);
    try {
      await client.put({ key: KEY, value: String(this.#writes) }, { timeoutMs: TIMEOUT_MS });
      this.#writes += 1;
    } catch {
      // A client without an answer knows nothing; the next time it asks a member again.
    } finally {
      client.close();
    }
  }
}
