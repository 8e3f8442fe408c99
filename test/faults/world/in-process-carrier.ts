import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Carrier } from "@etcd-operator/kubernetes-client/connect/connection.ts";
import type { Dispatcher } from "undici";
import { InProcessResponse } from "./in-process-response.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface Answered {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request to a server, wherever that is. */
export type Ask = (asked: Asked) => Promise<Answered>;

/** Asks a server of this process. */
export function inProcess(listener: RequestListener): Ask {
  return async ({ method, path, headers, body, signal }) => {
    signal?.throwIfAborted();
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const content = Readable.from(body === undefined ? [] : [Buffer.from(body)]);
    const request = Object.assign(content, {
      method,
      url: path,
      headers: { ...headers, ...length },
      rawHeaders: Object.entries(headers).flat(),
    });
    const response = new InProcessResponse();
    const leave = () => response.destroy();
    signal?.addEventListener("abort", leave, { once: true });
    response.once("close", () => signal?.removeEventListener("abort", leave));
    // What a handler uses of both is here; the rest belongs to sockets.
    listener(
      request as unknown as IncomingMessage,
      response as unknown as ServerResponse<IncomingMessage> & { req: IncomingMessage },
    );
    await response.answered;
    signal?.throwIfAborted();
    if (!response.headersSent) throw new Error("the connection was closed");
    return { statusCode: response.statusCode, headers: response.headers, body: response.body() };
  };
}

/** What a KubeClient sends its requests with, when it asks a server in this way. */
export function carrierOf(ask: Ask): Carrier {
  const request = async (options: Dispatcher.RequestOptions) => {
    const { statusCode, headers, body } = await ask(askedOf(options));
    const text = async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks).toString("utf8");
    };
    // Of a stream only what a client uses: no connection is behind it that could fail, or would have to be closed.
    const stream = { text, on: () => undefined, destroy: () => undefined };
    const answer = { statusCode, headers, body: Object.assign(body, stream) };
    return answer as unknown as Dispatcher.ResponseData;
  };
  const end = async () => undefined;
  // A client passes promises around, never callbacks.
  return { request, close: end, destroy: end } as unknown as Carrier;
}

function askedOf({ method, path, headers, body, signal }: Dispatcher.RequestOptions): Asked {
  return {
    method,
    path,
    headers: (headers ?? {}) as Record<string, string>,
    body: typeof body === "string" ? body : undefined,
    signal: signal instanceof AbortSignal ? signal : undefined,
  };
}
