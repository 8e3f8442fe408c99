import type {
  DescMessage,
  DescMethodStreaming,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { CallOptions, ClientOptions } from "./call-options.ts";
import type { Endpoint } from "./endpoint.ts";
import { toEtcdError } from "./error-codes.ts";
import { EtcdError } from "./etcd-error.ts";
import { Connection } from "./grpc/connection.ts";
import { MOST_MESSAGE_BYTES } from "./grpc/frame.ts";
import { DEFAULT_KEEP_ALIVE, type Session } from "./grpc/session.ts";
import { StreamingCall } from "./grpc/streaming.ts";
import { unary } from "./grpc/unary.ts";
import { headerOf, MessageStream, pathOf } from "./message-stream.ts";
import type { ResponseHeader } from "./protocol/generated/header_pb.ts";
import { Maintenance } from "./protocol/generated/maintenance_pb.ts";

/** Names the call for errors; the method carries the types. */
export interface Call<M> {
  readonly operation: string;
  readonly method: M;
  /** It changes nothing, and its answer tells whose it is: there is no need to ask before. */
  readonly isRead?: boolean;
  /**
   * Its answer holds what users have stored, and may be as large as the client takes; else a few kilobytes are enough
   * for it.
   */
  readonly hasContents?: boolean;
}

type Headers = Readonly<Record<string, string>>;

const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * For answers about members, alarms and the like. A message grows many times over when it is decoded, as two bytes can
 * say "one more member": so this is far below what a message may have that holds values.
 */
const MOST_BYTES_WITHOUT_CONTENTS = 64 << 10;

/** What is not known is not kept: a server could fill the memory with it. */
const DECODING = { readUnknownFields: false };

/**
 * Messages over one connection: types in, types out, deadline, cluster id, `EtcdError`. Each call goes out once.
 * Nothing is ever repeated here, because only the caller knows whether a second MemberAdd or Txn would be harmless.
 */
export class Calls {
  readonly endpoint: string;
  readonly #connection: Connection;
  readonly #options: ClientOptions;
  readonly #clusterIds = new WeakMap<Session, bigint>();

  constructor(endpoint: Endpoint, options: ClientOptions) {
    this.endpoint = endpoint.address;
    this.#options = options;
    this.#connection = new Connection(endpoint, { ...DEFAULT_KEEP_ALIVE, ...options.keepAlive });
  }

  async unary<I extends DescMessage, O extends DescMessage>(
    { operation, method, isRead = false, hasContents = false }: Call<DescMethodUnary<I, O>>,
    request: MessageInitShape<I>,
    options: CallOptions = {},
  ): Promise<MessageShape<O>> {
    try {
      const session = this.#connection.session();
      const expected = options.expectClusterId ?? this.#options.expectClusterId;
      if (expected !== undefined && !isRead) await this.#recognise(session, expected, operation, options);
      const answer = await this.#ask(session, method, request, options, hasContents);
      const clusterId = isRead ? this.#learn(session, headerOf(answer)) : headerOf(answer)?.clusterId;
      if (expected !== undefined) this.#compare(clusterId, expected, operation);
      return answer;
    } catch (error) {
      throw toEtcdError(error, operation, this.endpoint);
    }
  }

  /** Opens a stream; the first messages may be sent at once. Without a `timeoutMs` it has no deadline. */
  async stream<I extends DescMessage, O extends DescMessage>(
    { operation, method }: Call<DescMethodStreaming<I, O>>,
    options: CallOptions,
    headers: Headers = {},
  ): Promise<MessageStream<I, O>> {
    try {
      const session = this.#connection.session();
      const expected = options.expectClusterId ?? this.#options.expectClusterId;
      if (expected !== undefined) await this.#recognise(session, expected, operation, options);
      return new MessageStream(method, {
        call: new StreamingCall(
          session,
          pathOf(method),
          { ...options, mostBytes: this.#options.mostMessageBytes },
          headers,
        ),
        check: (clusterId) => expected !== undefined && this.#compare(clusterId, expected, operation),
        toError: (error) => toEtcdError(error, operation, this.endpoint),
      });
    } catch (error) {
      throw toEtcdError(error, operation, this.endpoint);
    }
  }

  close(): void {
    this.#connection.close();
  }

  // Comparing the answer's header alone would come too late: the member would be gone from the wrong cluster. One
  // process keeps its cluster id for life and one session talks to one process, so one answer per session is enough, to
  // whatever was asked; and some answers (Snapshot, Defragment, MoveLeader) carry no header at all.
  async #recognise(session: Session, expected: bigint, operation: string, options: CallOptions): Promise<void> {
    const known = this.#clusterIds.get(session);
    if (known !== undefined) return this.#compare(known, expected, operation);
    const { header } = await this.#ask(session, Maintenance.method.status, {}, options);
    this.#compare(this.#learn(session, header), expected, operation);
  }

  /** The member at the other end; no member has the id 0. */
  #learn(session: Session, header: ResponseHeader | undefined): bigint {
    if (header) this.#clusterIds.set(session, header.clusterId);
    return header?.clusterId ?? 0n;
  }

  async #ask<I extends DescMessage, O extends DescMessage>(
    session: Session,
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    options: CallOptions,
    hasContents = false,
  ): Promise<MessageShape<O>> {
    const question = toBinary(method.input, create(method.input, request));
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const { mostMessageBytes = MOST_MESSAGE_BYTES } = this.#options;
    const mostBytes = hasContents ? mostMessageBytes : Math.min(mostMessageBytes, MOST_BYTES_WITHOUT_CONTENTS);
    const answer = await unary(session, pathOf(method), question, { timeoutMs, signal: options.signal, mostBytes });
    return fromBinary(method.output, answer, DECODING);
  }

  #compare(actual: bigint | undefined, expected: bigint, operation: string): void {
    if (actual === undefined || actual === expected) return;
    const reason = `it belongs to cluster ${actual.toString(16)}, not to ${expected.toString(16)}`;
    throw new EtcdError("wrong-cluster", { operation, endpoint: this.endpoint, reason });
  }
}
