import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { Carrier, Connection } from "../connect/connection.ts";
import type { Credential } from "../connect/credential.ts";
import { errorOfAnswer, errorOfFailure } from "./answer-error.ts";
import { MOST_OBJECT_BYTES, refusalText, wholeText } from "./bounded-text.ts";
import type { KubernetesError } from "./kubernetes-error.ts";
import { linkedAbort } from "./linked-abort.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Exchanged {
  readonly method: Method;
  readonly path: string;
  readonly query?: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Until the whole answer is there; for a stream, until it begins. */
  readonly timeoutMs: number;
  /** How large the answer may be; 16 MiB. For a stream, its reader sets the limits. */
  readonly mostBytes?: number | undefined;
}

/** Requests and answers as text; everything that goes wrong leaves as a KubernetesError. */
export class Exchange {
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #userAgent: string;
  #dispatcher: Carrier | undefined;
  #credential: Credential = {};

  constructor(connection: Connection, userAgent: string) {
    this.#connection = connection;
    // Some API servers live under a path, behind a gateway.
    this.#prefix = new URL(connection.server).pathname.replace(/\/$/, "");
    this.#userAgent = userAgent;
  }

  async text(request: Exchanged): Promise<string> {
    const attempt = attemptAt(request);
    try {
      const answer = await this.#send(request, attempt.signal);
      if (answer.statusCode >= 300) throw this.#refused(request, answer, await refusalText(answer.body));
      return await wholeText(answer.body, request.mostBytes ?? MOST_OBJECT_BYTES);
    } catch (cause) {
      throw attempt.errorOf(cause);
    } finally {
      attempt.end();
    }
  }

  /** The answer's bytes as they come; not asking for more holds the server back. */
  async *stream(request: Exchanged): AsyncGenerator<Uint8Array, void, undefined> {
    const attempt = attemptAt(request);
    try {
      const answer = await this.#send(request, attempt.signal);
      if (answer.statusCode >= 300) throw this.#refused(request, answer, await refusalText(answer.body));
      attempt.endDeadline();
      yield* answer.body;
    } catch (cause) {
      throw attempt.errorOf(cause);
    } finally {
      attempt.end();
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy();
  }

  async #send(request: Exchanged, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const credential = await this.#connection.credentials.current();
    const dispatcher = this.#dispatcherFor(credential);
    return dispatcher.request({
      origin: new URL(this.#connection.server).origin,
      path: `${this.#prefix}${request.path}${request.query ? `?${request.query}` : ""}`,
      method: request.method,
      headers: {
        accept: request.accept ?? "application/json",
        "user-agent": this.#userAgent,
        ...(credential.authorization && { authorization: credential.authorization }),
        ...(request.body !== undefined && { "content-type": request.contentType ?? "application/json" }),
      },
      body: request.body ?? null,
      signal,
    });
  }

  /**
   * One for as long as the client certificate stays; a new one for a new certificate, while running answers end on the
   * old.
   */
  #dispatcherFor(credential: Credential): Carrier {
    if (this.#dispatcher && this.#credential.cert === credential.cert && this.#credential.key === credential.key) {
      return this.#dispatcher;
    }
    void this.#dispatcher?.close();
    this.#credential = credential;
    this.#dispatcher = dispatcherFor(this.#connection, credential);
    return this.#dispatcher;
  }

  #refused(request: Exchanged, answer: Dispatcher.ResponseData, text: string): KubernetesError {
    if (answer.statusCode === 401) this.#connection.credentials.forget();
    const retryAfter = answer.headers["retry-after"];
    return errorOfAnswer(operationOf(request), answer.statusCode, text, [retryAfter].flat()[0]);
  }
}

function dispatcherFor(connection: Connection, { cert, key }: Credential): Carrier {
  if (connection.carrier) return connection.carrier;
  const tls = {
    ...(connection.ca && { ca: connection.ca }),
    ...(cert && key && { cert, key }),
    ...(connection.serverName && { servername: connection.serverName }),
    rejectUnauthorized: !connection.insecureSkipTlsVerify,
  };
  // Our own deadlines and the reflector's stall detection end what hangs; a quiet watch is none of that.
  const patience = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 };
  // Not HTTP/2, which every API server offers: all watches would share one connection, and its flow control with them.
  const options = { ...patience, allowH2: false };
  const { proxyUrl } = connection;
  if (proxyUrl) return new ProxyAgent({ uri: proxyUrl, proxyTunnel: true, requestTls: tls, ...options });
  return new Pool(new URL(connection.server).origin, { connect: { ...tls, timeout: 10_000 }, ...options });
}

function operationOf({ method, path }: Exchanged): string {
  return `${method} ${path}`;
}

/** One request under way: its signal, its deadline, and what its failure means. */
function attemptAt(request: Exchanged) {
  const abort = linkedAbort(request.signal);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    abort.abort();
  }, request.timeoutMs);
  return {
    signal: abort.signal,
    endDeadline: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      abort.unlink();
    },
    errorOf(cause: unknown): KubernetesError {
      const why = request.signal?.aborted ? "canceled" : timedOut ? "timeout" : "failed";
      return errorOfFailure(operationOf(request), cause, why);
    },
  };
}
