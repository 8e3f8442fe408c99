import { WebSocket } from "ws";
import { until } from "../../../test/support/kube/until.ts";

interface Incoming {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Speaks to the inspector of a Node.js that was started with --inspect. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Incoming) => void>();
  readonly #listeners = new Map<string, (params: unknown) => void>();
  #last = 0;

  static async open(port: number): Promise<Inspector> {
    const url = await until(
      async () => {
        const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
          { webSocketDebuggerUrl: string },
        ];
        return target.webSocketDebuggerUrl;
      },
      { what: "the inspector" },
    );
    const socket = new WebSocket(url, { maxPayload: 2 ** 30, perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new Inspector(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#hear(JSON.parse(String(data)) as Incoming));
  }

  async ask<Answer = unknown>(method: string, params: object = {}): Promise<Answer> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<Incoming>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    // Who asks knows what the protocol answers.
    return result as Answer;
  }

  on(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener);
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear(message: Incoming): void {
    if (message.id === undefined) this.#listeners.get(message.method ?? "")?.(message.params);
    else this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id ?? 0);
  }
}
