import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";
import { GrpcFailure, GrpcStatus } from "./grpc-failure.ts";

/**
 * Listens for the status that ends a call: in the trailers, or in the headers when the server has nothing else to say.
 */
export class AnswerStatus {
  #status: number | undefined;
  #message = "";

  constructor(stream: ClientHttp2Stream) {
    stream.once("response", (headers) => this.#read(headers));
    stream.once("trailers", (trailers) => this.#read(trailers));
  }

  get isKnown(): boolean {
    return this.#status !== undefined;
  }

  /** Undefined when the server said OK. A stream that ends without any status was cut off. */
  get failure(): GrpcFailure | undefined {
    if (this.#status === 0) return undefined;
    if (this.#status !== undefined) return new GrpcFailure(this.#status, this.#message);
    return new GrpcFailure(GrpcStatus.unavailable, "the connection was closed before the answer was complete");
  }

  #read(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    const status = headers["grpc-status"];
    if (typeof status === "string") {
      this.#status = Number(status);
      this.#message = decodeMessage(headers["grpc-message"]);
      return;
    }
    const httpStatus = headers[":status"];
    if (httpStatus === undefined || httpStatus === 200) return;
    this.#status = GrpcStatus.unavailable;
    this.#message = `the server answered HTTP ${httpStatus}; is this an etcd client port?`;
  }
}

/** etcd's own messages are far shorter; what a server says beyond that is not worth keeping. */
const MOST_MESSAGE_CHARACTERS = 1_000;

/** The text of a status, which travels with percent signs. */
export function decodeMessage(raw: string | string[] | undefined): string {
  const text = (Array.isArray(raw) ? raw.join(", ") : (raw ?? "")).slice(0, 3 * MOST_MESSAGE_CHARACTERS);
  return decoded(text).slice(0, MOST_MESSAGE_CHARACTERS);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
