import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { WorkerError, workerErrorOf } from "./worker-error.ts";

export interface WorkerRequest {
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: AsyncIterable<Buffer>;
}

/** Answers by returning JSON, or by writing to the response itself. */
export type Route = (request: WorkerRequest, response: ServerResponse) => Promise<unknown>;
/** By method and path, as in "GET /object". */
export type Routes = Readonly<Record<string, Route>>;

export interface WorkerIdentity {
  /** In PEM, both. */
  readonly cert: string;
  readonly key: string;
  readonly token: string;
}

export interface WorkerServer {
  readonly port: number;
  /** When it was last asked something, or was busy with it, in milliseconds of `performance.now()`. */
  lastBusyAt(): number;
  /** Ends it; what is being answered gets so much time. */
  close(graceMs?: number): Promise<void>;
}

/** Who says nothing for so long, in the middle of a request or of an answer, is gone. */
const SILENCE_MS = 120_000;
/** More than any block has. */
const LARGEST_BODY = 64 << 20;

/** Serves routes over HTTPS to clients that have the token. */
export async function startWorkerServer(
  { cert, key, token }: WorkerIdentity,
  routes: Routes,
  { port, host }: { readonly port: number; readonly host?: string | undefined },
): Promise<WorkerServer> {
  const isKnown = tokenCheck(token);
  const traffic = new Traffic();
  const server = createServer(
    { cert, key, minVersion: "TLSv1.3", keepAliveTimeout: SILENCE_MS },
    (request, response) => {
      if (!isKnown(request)) return refuse(response);
      traffic.follow(response);
      void answer(routes, request, response);
    },
  );
  server.setTimeout(SILENCE_MS);
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    lastBusyAt: () => traffic.lastBusyAt(),
    async close(graceMs = 0) {
      const end = once(server, "close");
      server.close();
      await traffic.quiet(graceMs);
      server.closeAllConnections();
      await end;
    },
  };
}

/** What is being answered at the moment. */
class Traffic {
  #running = 0;
  #lastBusyAt = performance.now();
  #whenQuiet: () => void = () => undefined;

  follow(response: ServerResponse): void {
    this.#running += 1;
    response.once("close", () => {
      this.#running -= 1;
      this.#lastBusyAt = performance.now();
      if (this.#running === 0) this.#whenQuiet();
    });
  }

  lastBusyAt(): number {
    return this.#running > 0 ? performance.now() : this.#lastBusyAt;
  }

  async quiet(graceMs: number): Promise<void> {
    if (this.#running === 0 || graceMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#whenQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function answer(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://worker");
    const route = routes[`${request.method} ${pathname}`];
    if (!route) throw new WorkerError("invalid", `this worker does not serve ${request.method} ${pathname}`);
    if (Number(request.headers["content-length"] ?? 0) > LARGEST_BODY) throw new WorkerError("invalid", "too long");
    const result = await route({ query: searchParams, headers: request.headers, body: request }, response);
    if (!response.headersSent) send(response, 200, result ?? {});
  } catch (error) {
    const { status, code, message } = workerErrorOf(error);
    // The client notices that the answer is too short.
    if (response.headersSent) response.destroy();
    else send(response, status, { code, message });
  }
  // What is left of a block that was refused: closing now would take the answer away from who is still sending.
  request.resume();
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function refuse(response: ServerResponse): void {
  send(response, 401, { code: "bad-credentials", message: "this is not the worker's token" });
}

/** Compares digests, in a time that tells nothing. */
function tokenCheck(token: string): (request: IncomingMessage) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return ({ headers }) => timingSafeEqual(digest(headers.authorization ?? ""), expected);
}
