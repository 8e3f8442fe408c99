import type { CallOptions } from "../call-options.ts";
import { toEtcdError } from "../error-codes.ts";
import { canceledBy, GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";
import {
  CREATE_TIMEOUT_MS,
  canceledByServer,
  REQUIRE_LEADER,
  type Watch,
  type WatchEvent,
  type WatchMessage,
} from "../watch.ts";
import { FieldReader } from "./field-reader.ts";
import type { LoopbackSession } from "./loopback-session.ts";
import { PROGRESS_REQUEST, readWatch } from "./messages.ts";

const WATCH = "/etcdserverpb.Watch/Watch";

/** A watch on a loopback session; `creation` is the message that begins it. */
export function loopbackWatch(
  open: () => LoopbackSession,
  endpoint: string,
  creation: Buffer,
  options: CallOptions,
): Watch {
  let follower: Follower | undefined;
  return {
    requestProgress: () => follower?.requestProgress(),
    [Symbol.asyncIterator]: () => {
      follower = new Follower(endpoint, options);
      follower.begin(open(), creation);
      return follower;
    },
  };
}

/** Grows as long as nobody has taken it. */
type Message =
  | { readonly kind: "created" | "progress"; readonly revision: bigint }
  | { readonly kind: "events"; revision: bigint; readonly events: WatchEvent[] };

interface Waiting {
  resolve(result: IteratorResult<WatchMessage, void>): void;
  reject(error: unknown): void;
}

/** Hands on what came since it was last asked, so that many events of a busy moment are taken in one step. */
class Follower implements AsyncIterator<WatchMessage, void, undefined> {
  readonly #endpoint: string;
  readonly #options: CallOptions;
  readonly #onAbort = () => this.#end(this.#options.signal ? canceledBy(this.#options.signal) : undefined);
  #call: ReturnType<LoopbackSession["stream"]> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #messages: Message[] = [];
  #events: WatchEvent[] = [];
  #waiting: Waiting | undefined;
  #isOver = false;
  #failure: unknown;

  constructor(endpoint: string, options: CallOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  begin(session: LoopbackSession, creation: Buffer): void {
    const { signal, timeoutMs = CREATE_TIMEOUT_MS } = this.#options;
    if (signal?.aborted) {
      this.#end(canceledBy(signal));
      return;
    }
    signal?.addEventListener("abort", this.#onAbort);
    const late = new GrpcFailure(GrpcStatus.deadlineExceeded, `the watch was not created within ${timeoutMs} ms`);
    this.#timer = setTimeout(() => this.#end(late), timeoutMs);
    const onMessage = (message: Buffer) => this.#take(message);
    this.#call = session.stream(WATCH, REQUIRE_LEADER, creation, onMessage, (failure) => this.#end(failure));
  }

  requestProgress(): void {
    this.#call?.send(PROGRESS_REQUEST);
  }

  next(): Promise<IteratorResult<WatchMessage, void>> {
    const message = this.#messages.shift();
    if (message) return Promise.resolve({ done: false, value: message });
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<WatchMessage, void>> {
    this.#end(undefined);
    this.#messages = [];
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(message: Buffer): void {
    const answer = readWatch(new FieldReader(message));
    clearTimeout(this.#timer);
    this.#events.push(...answer.events);
    if (answer.isPart) return;
    const { revision } = answer;
    const events = this.#events;
    this.#events = [];
    if (answer.isCanceled) this.#end(canceledByServer(answer, this.#endpoint));
    else if (answer.isCreated) this.#tell({ kind: "created", revision });
    else if (events.length === 0) this.#tell({ kind: "progress", revision });
    else this.#tellEvents(revision, events);
  }

  #tellEvents(revision: bigint, events: WatchEvent[]): void {
    const last = this.#messages.at(-1);
    if (last?.kind !== "events") {
      this.#tell({ kind: "events", revision, events });
      return;
    }
    for (const event of events) last.events.push(event);
    last.revision = revision;
  }

  #tell(message: Message): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting.resolve({ done: false, value: message });
    else this.#messages.push(message);
  }

  /** Undefined: it was wanted so. */
  #end(failure: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#call?.cancel();
    if (failure !== undefined) this.#failure = toEtcdError(failure, "watch", this.#endpoint);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#failure !== undefined) waiting?.reject(this.#failure);
    else waiting?.resolve({ done: true, value: undefined });
  }
}
