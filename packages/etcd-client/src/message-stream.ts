import type { DescMessage, DescMethod, DescMethodStreaming, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { EtcdError } from "./etcd-error.ts";
import type { GrpcFailure } from "./grpc/grpc-failure.ts";
import type { StreamingCall } from "./grpc/streaming.ts";
import type { ResponseHeader } from "./protocol/generated/header_pb.ts";

interface StreamParts {
  readonly call: StreamingCall;
  /** Throws when the answer is another cluster's. */
  readonly check: (clusterId: bigint | undefined) => void;
  readonly toError: (error: unknown) => EtcdError;
}

/** A streaming call with types: messages in and out, failures as `EtcdError`. */
export class MessageStream<I extends DescMessage, O extends DescMessage> {
  readonly #method: DescMethodStreaming<I, O>;
  readonly #parts: StreamParts;

  constructor(method: DescMethodStreaming<I, O>, parts: StreamParts) {
    this.#method = method;
    this.#parts = parts;
  }

  send(message: MessageInitShape<I>): void {
    const { input } = this.#method;
    this.#parts.call.send(toBinary(input, create(input, message)));
  }

  finishSending(): void {
    this.#parts.call.finishSending();
  }

  cancel(why: GrpcFailure): void {
    this.#parts.call.cancel(why);
  }

  /** Ends the connection, too: its server does not keep to what was agreed. */
  refuse(why: GrpcFailure): void {
    this.#parts.call.refuse(why);
  }

  /** @param options with `isReusing`, what is in a message is over when the next is asked for */
  async *messages(options: { readonly isReusing?: boolean } = {}): AsyncGenerator<MessageShape<O>, void, undefined> {
    try {
      for await (const bytes of this.#parts.call.messages(options)) {
        const message = fromBinary(this.#method.output, bytes, { readUnknownFields: false });
        this.#parts.check(headerOf(message)?.clusterId);
        yield message;
      }
    } catch (error) {
      throw this.#parts.toError(error);
    }
  }
}

/** Where a method lives on the wire. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** Every answer may carry a header; some of etcd's maintenance answers leave it out. */
export function headerOf(answer: object): ResponseHeader | undefined {
  return (answer as { header?: ResponseHeader }).header;
}
