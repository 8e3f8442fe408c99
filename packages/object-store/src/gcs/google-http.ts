import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from "undici";

export interface GoogleRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal: AbortSignal;
  /** For addresses of the machine itself, which no proxy knows. */
  readonly isLocal?: boolean;
}

export interface GoogleAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** To be read with a limit (`bounded-body.ts`). */
  readonly body: Readable;
}

const CONNECT_TIMEOUT_MS = 10_000;
// The caller watches over what moves and what does not. Not HTTP/2, where all parts would share one connection.
const OPTIONS = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS }, allowH2: false };

/** HTTP for the store and its tokens: no retries, no opinion about statuses. */
export class GoogleHttp {
  readonly #endpoint: string | undefined;
  readonly #remote: Dispatcher = new EnvHttpProxyAgent(OPTIONS);
  readonly #local: Dispatcher = new Agent(OPTIONS);

  /** With an endpoint, all that is meant for Google goes there. */
  constructor(endpoint: string | undefined) {
    this.#endpoint = endpoint?.replace(/\/+$/, "");
  }

  async send({ method, url, headers, body, signal, isLocal }: GoogleRequest): Promise<GoogleAnswer> {
    const answer = await request(this.#addressOf(url), {
      dispatcher: isLocal ? this.#local : this.#remote,
      method,
      headers: { ...headers, "user-agent": "etcd-operator" },
      body: body ?? null,
      signal,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  }

  async close(): Promise<void> {
    await Promise.all([this.#remote.destroy(), this.#local.destroy()]);
  }

  #addressOf(url: string): string {
    const { hostname, pathname, search } = new URL(url);
    return this.#endpoint && hostname.endsWith(".googleapis.com") ? `${this.#endpoint}${pathname}${search}` : url;
  }
}
