import { once } from "node:events";
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { frame } from "@etcd-operator/etcd-client/grpc/frame.ts";
import { GrpcFailure } from "@etcd-operator/etcd-client/grpc/grpc-failure.ts";

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** An HTTP/2 server for tests that must see how a server misbehaves on the wire; real etcd does not do it on demand. */
export class FakeServer {
  readonly sessions: ServerHttp2Session[] = [];
  readonly sockets: Socket[] = [];
  requests = 0;
  readonly #server: Http2Server;

  constructor(handler: Handler) {
    this.#server = createServer();
    this.#server.on("connection", (socket) => this.sockets.push(socket));
    this.#server.on("session", (session) => {
      session.on("error", () => {});
      this.sessions.push(session);
    });
    this.#server.on("stream", (stream, headers) => {
      this.requests += 1;
      stream.on("error", () => {});
      handler(stream, headers);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Answers like a gRPC server that is content. */
export function answer(stream: ServerHttp2Stream, ...messages: readonly string[]): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  for (const message of messages) stream.write(frame(Buffer.from(message)));
  stream.end();
}

/** The failure a call is expected to end in. */
export async function failureOf(call: Promise<unknown>): Promise<GrpcFailure> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof GrpcFailure) return error;
  throw new Error(`expected a GrpcFailure, got ${String(error)}`);
}
