import type { CallOptions, ClientOptions } from "../call-options.ts";
import { toEtcdError } from "../error-codes.ts";
import type { EtcdClient } from "../etcd-client.ts";
import { GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";
import type { Bytes } from "../key-value.ts";
import type { Range, RangeResult } from "../operations.ts";
import type { Operation, Transaction, TransactionResult } from "../transaction.ts";
import type { Watch, WatchRequest } from "../watch.ts";
import { BackwardWriter } from "./backward-writer.ts";
import { FieldReader } from "./field-reader.ts";
import { LoopbackSession, MOST_BYTES } from "./loopback-session.ts";
import { loopbackWatch } from "./loopback-watch.ts";
import { readRange, readTransaction, writeRange, writeTransaction, writeWatchCreation } from "./messages.ts";

const TIMEOUT_MS = 5_000;
const RANGE = "/etcdserverpb.KV/Range";
const TXN = "/etcdserverpb.KV/Txn";

/** What a field takes beside what is in it, and more. */
const FRAMING_BYTES = 64;

type LoopbackOptions = Pick<ClientOptions, "mostMessageBytes">;

/**
 * The same client, with a shorter way for what is asked most of an etcd on the same machine, which speaks without TLS: small transactions
 * and reads, and watches. As everywhere, each of them goes out once. What is large, or comes with a limit of its own, goes the usual way.
 */
export function withLoopback(client: EtcdClient, { mostMessageBytes }: LoopbackOptions = {}): EtcdClient {
  const way = new LoopbackWay(client.endpoint, mostMessageBytes);
  return {
    ...client,
    range: (range, options) => way.range(range, options) ?? client.range(range, options),
    transaction: (what, options) => way.transaction(what, options) ?? client.transaction(what, options),
    watch: (request, options) => way.watch(request, options),
    close: () => {
      way.close();
      client.close();
    },
  };
}

class LoopbackWay {
  readonly #endpoint: string;
  readonly #mostBytes: number | undefined;
  readonly #writer = new BackwardWriter(MOST_BYTES);
  /** The newest, and those before it that still have calls. */
  #sessions: readonly LoopbackSession[] = [];
  #isClosed = false;

  constructor(endpoint: string, mostBytes: number | undefined) {
    this.#endpoint = endpoint;
    this.#mostBytes = mostBytes;
  }

  /** Undefined: it has to go the usual way. */
  range(range: Range, options: CallOptions | undefined): Promise<RangeResult> | undefined {
    const size = sizeOf(range.key) + sizeOf(range.rangeEnd ?? "") + FRAMING_BYTES;
    // An answer may be large, too: only what is one object at most.
    const isOne = range.rangeEnd === undefined || range.limit === 1;
    const session = isOne ? this.#sessionFor(size, options) : undefined;
    if (!session) return undefined;
    writeRange(this.#writer.begin(), range);
    return this.#ask(session, "range", RANGE, readRange);
  }

  transaction(what: Transaction, options: CallOptions | undefined): Promise<TransactionResult> | undefined {
    const session = this.#sessionFor(transactionSize(what), options);
    if (!session) return undefined;
    writeTransaction(this.#writer.begin(), what);
    return this.#ask(session, "transaction", TXN, readTransaction);
  }

  watch(request: WatchRequest, options: CallOptions = {}): Watch {
    const writer = new BackwardWriter(sizeOf(request.key) + sizeOf(request.rangeEnd ?? "") + FRAMING_BYTES);
    writeWatchCreation(writer, request);
    return loopbackWatch(() => this.#usable(), this.#endpoint, writer.take(), options);
  }

  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.close(closed());
  }

  #sessionFor(size: number, options: CallOptions | undefined): LoopbackSession | undefined {
    if (this.#isClosed || options !== undefined || size > MOST_BYTES) return undefined;
    const session = this.#usable();
    return session.hasRoomFor(size) ? session : undefined;
  }

  #usable(): LoopbackSession {
    const [newest] = this.#sessions;
    if (newest?.isUsable) return newest;
    const session = new LoopbackSession(this.#endpoint, this.#mostBytes);
    this.#sessions = [session, ...this.#sessions.filter(({ isOver }) => !isOver)];
    if (this.#isClosed) session.close(closed());
    return session;
  }

  async #ask<Result>(
    session: LoopbackSession,
    operation: string,
    path: string,
    read: (answer: FieldReader) => Result,
  ): Promise<Result> {
    try {
      return read(new FieldReader(await session.unary(path, this.#writer.take(), TIMEOUT_MS)));
    } catch (error) {
      throw toEtcdError(error, operation, this.#endpoint);
    }
  }
}

function closed(): GrpcFailure {
  return new GrpcFailure(GrpcStatus.canceled, "the client was closed");
}

function transactionSize({ compare, success, failure = [] }: Transaction): number {
  let size = 0;
  for (const condition of compare) {
    size += sizeOf(condition.key) + (condition.target === "value" ? sizeOf(condition.to) : 0) + FRAMING_BYTES;
  }
  for (const operation of success) size += operationSize(operation);
  for (const operation of failure) size += operationSize(operation);
  return size;
}

function operationSize(operation: Operation): number {
  const { key } = operation;
  const rest = operation.kind === "put" ? operation.value : operation.rangeEnd;
  return sizeOf(key) + (rest === undefined ? 0 : sizeOf(rest)) + FRAMING_BYTES;
}

function sizeOf(bytes: Bytes): number {
  return typeof bytes === "string" ? 3 * bytes.length : bytes.length;
}
