import { connect, type NetConnectOpts, type Socket } from "node:net";
import { socketPathOf } from "../endpoint.ts";
import { frame, MOST_MESSAGE_BYTES } from "../grpc/frame.ts";
import { connectionLost, GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";
import {
  CANCEL,
  contentOf,
  Flag,
  type Frame,
  FrameReader,
  FrameType,
  frameBytes,
  numberFrame,
  Setting,
  settingsFrame,
} from "./frames.ts";
import { HeaderMemory } from "./header-memory.ts";
import { type LoopbackCall, StreamCall, UnaryCall } from "./loopback-call.ts";
import { Outbox } from "./outbox.ts";
import { requestBytes, sizeOnStream } from "./request-bytes.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const FIRST_WINDOW = 65_535;
const WINDOW = 16 << 20;
const READ_BYTES = 256 << 10;
const LAST_STREAM = 0x7fff_fffd;
// etcd needs one; with the largest frame this is what Node takes of header fields, too.
const MOST_FIELD_FRAMES = 4;
// One timer for all calls, instead of one for each: deadlines are rare, and need not be exact.
const LOOK_MS = 250;

/** The largest message: with what belongs to it, it has to fit into one frame. */
export const MOST_BYTES = 16_000;

/**
 * One connection to an etcd on the same machine. It speaks only as much HTTP/2 as gRPC needs: the streams of Node's own take a fifth of
 * the time that the API server has for a write. There are no pings, for on one machine a connection does not fall silent by itself.
 */
export class LoopbackSession {
  readonly #socket: Socket;
  readonly #mostBytes: number;
  readonly #outbox: Outbox;
  readonly #headers: HeaderMemory;
  readonly #calls = new Map<number, LoopbackCall>();
  readonly #frames = new FrameReader((each) => this.#handle(each));
  readonly #timer: NodeJS.Timeout;
  #fields: Buffer[] = [];
  /** Said by the first frame of some fields, and true once the last one is here. */
  #endsCall = false;
  #nextStream = 1;
  #sendWindow = FIRST_WINDOW;
  #firstSendWindow = FIRST_WINDOW;
  #mostStreams = Number.POSITIVE_INFINITY;
  #unreported = 0;
  /** Why nothing comes of it any more. */
  #lostTo: GrpcFailure | undefined;

  /** @param mostBytes of a message that it takes */
  constructor(address: string, mostBytes = MOST_MESSAGE_BYTES) {
    this.#mostBytes = mostBytes;
    const path = socketPathOf(address);
    this.#headers = new HeaderMemory(path === undefined ? address : "localhost");
    this.#socket = connect({
      ...(path === undefined ? hostAndPort(address) : { path }),
      onread: { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: (size, bytes) => this.#receive(size, bytes) },
    });
    this.#outbox = new Outbox(this.#socket);
    this.#socket.on("error", (error) => this.#lose(connectionLost(error)));
    this.#socket.on("close", () => this.#lose(connectionLost(new Error("the connection was closed"))));
    this.#timer = setInterval(() => this.#giveUpLate(), LOOK_MS).unref();
    const settings = settingsFrame([
      [Setting.headerTableSize, 0],
      [Setting.enablePush, 0],
      [Setting.initialWindow, WINDOW],
    ]);
    this.#outbox.send(PREFACE, settings, numberFrame(FrameType.windowUpdate, 0, WINDOW - FIRST_WINDOW));
  }

  /** False once the connection broke, or the server takes no new calls. */
  get isUsable(): boolean {
    return !this.#lostTo && this.#nextStream <= LAST_STREAM;
  }

  /** Whether it broke, was closed, or has finished its last call. */
  get isOver(): boolean {
    return this.#lostTo !== undefined;
  }

  /** Whether a message can go out now, as far as the server is concerned. */
  hasRoomFor(bytes: number): boolean {
    return this.#fits(bytes) && this.#calls.size < this.#mostStreams;
  }

  unary(path: string, message: Uint8Array, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const call = new UnaryCall(
        { deadlineAt: performance.now() + timeoutMs, mostBytes: this.#mostBytes },
        resolve,
        reject,
      );
      this.#open(path, call, { "grpc-timeout": `${timeoutMs}m` }, message, Flag.endStream);
    });
  }

  /** A call that stays open; the answer sends more, and ends it. */
  stream(
    path: string,
    headers: Readonly<Record<string, string>>,
    message: Uint8Array,
    onMessage: (message: Buffer) => void,
    onEnd: (failure: GrpcFailure) => void,
  ): { send(message: Uint8Array): void; cancel(): void } {
    const stream = this.#open(path, new StreamCall(this.#mostBytes, onMessage, onEnd), headers, message, 0);
    return {
      send: (more) => {
        if (!this.#calls.has(stream) || !this.#fits(more.length)) return;
        this.#sendWindow -= sizeOnStream(more);
        this.#outbox.send(frameBytes(FrameType.data, 0, stream, frame(more)));
      },
      cancel: () => this.#cancel(stream),
    };
  }

  close(why: GrpcFailure): void {
    this.#lose(why);
  }

  #open(
    path: string,
    call: LoopbackCall,
    headers: Readonly<Record<string, string>>,
    message: Uint8Array,
    flags: number,
  ): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const lostTo = this.#lostTo;
    if (lostTo) {
      queueMicrotask(() => call.fail(lostTo));
      return stream;
    }
    this.#calls.set(stream, call);
    this.#sendWindow -= sizeOnStream(message);
    this.#outbox.send(requestBytes(stream, this.#headers.blockFor(path, headers), message, flags));
    return stream;
  }

  #fits(bytes: number): boolean {
    return bytes < Math.min(this.#sendWindow, this.#firstSendWindow, MOST_BYTES);
  }

  #receive(size: number, bytes: Uint8Array): boolean {
    try {
      this.#frames.push(Buffer.from(bytes.buffer, bytes.byteOffset, size));
    } catch (error) {
      this.#lose(connectionLost(error));
    }
    return true;
  }

  #handle(each: Frame): void {
    switch (each.type) {
      case FrameType.data:
        this.#handleData(each);
        break;
      case FrameType.headers:
      case FrameType.continuation:
        this.#handleFields(each);
        break;
      case FrameType.reset:
        this.#end(each.stream, (call) => call.fail(unavailable("the server reset the call")));
        break;
      case FrameType.settings:
        this.#handleSettings(each);
        break;
      case FrameType.ping:
        if (!(each.flags & Flag.ack)) this.#outbox.send(frameBytes(FrameType.ping, Flag.ack, 0, each.payload));
        break;
      case FrameType.goAway:
        this.#handleGoAway(each.payload.readUInt32BE(0) & 0x7fff_ffff);
        break;
      case FrameType.windowUpdate:
        if (each.stream === 0) this.#sendWindow += each.payload.readUInt32BE(0) & 0x7fff_ffff;
        break;
    }
  }

  #handleData(each: Frame): void {
    const { length } = each.payload;
    this.#unreported += length;
    if (this.#unreported >= WINDOW / 2) {
      this.#outbox.send(numberFrame(FrameType.windowUpdate, 0, this.#unreported));
      this.#unreported = 0;
    }
    const call = this.#calls.get(each.stream);
    if (!call) return;
    call.unreported += length;
    if (call.unreported >= WINDOW / 2) {
      this.#outbox.send(numberFrame(FrameType.windowUpdate, each.stream, call.unreported));
      call.unreported = 0;
    }
    call.data(contentOf(each));
    if (each.flags & Flag.endStream) this.#end(each.stream, (ended) => ended.end());
  }

  #handleFields(each: Frame): void {
    this.#fields.push(each.type === FrameType.headers ? contentOf(each) : each.payload);
    if (this.#fields.length > MOST_FIELD_FRAMES) throw new Error("the server sends header fields without an end");
    if (each.type === FrameType.headers) this.#endsCall = (each.flags & Flag.endStream) !== 0;
    if (!(each.flags & Flag.endHeaders)) {
      this.#fields = this.#fields.map((part) => Buffer.from(part));
      return;
    }
    const [block = Buffer.alloc(0), ...more] = this.#fields;
    this.#fields = [];
    const fields = this.#headers.fieldsIn(more.length === 0 ? block : Buffer.concat([block, ...more]));
    this.#calls.get(each.stream)?.fields(fields);
    if (this.#endsCall) this.#end(each.stream, (call) => call.end());
  }

  #handleSettings({ flags, payload }: Frame): void {
    if (flags & Flag.ack) return;
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      if (payload.readUInt16BE(at) === Setting.maxStreams) this.#mostStreams = value;
      if (payload.readUInt16BE(at) === Setting.initialWindow) this.#firstSendWindow = value;
    }
    this.#outbox.send(frameBytes(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)));
  }

  #handleGoAway(last: number): void {
    this.#nextStream = LAST_STREAM + 2;
    const why = unavailable("the server closes the connection");
    for (const stream of [...this.#calls.keys()]) if (stream > last) this.#end(stream, (call) => call.fail(why));
    this.#closeIfDone();
  }

  #end(stream: number, how: (call: LoopbackCall) => void): void {
    const call = this.#calls.get(stream);
    if (!call) return;
    this.#calls.delete(stream);
    how(call);
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#nextStream > LAST_STREAM && this.#calls.size === 0) this.#socket.end();
  }

  #cancel(stream: number): void {
    if (this.#calls.delete(stream)) this.#outbox.send(numberFrame(FrameType.reset, stream, CANCEL));
  }

  #giveUpLate(): void {
    const now = performance.now();
    for (const [stream, call] of this.#calls) {
      if (call.deadlineAt > now) continue;
      this.#cancel(stream);
      call.fail(new GrpcFailure(GrpcStatus.deadlineExceeded, "no answer in time"));
    }
  }

  #lose(failure: GrpcFailure): void {
    if (this.#lostTo) return;
    this.#lostTo = failure;
    clearInterval(this.#timer);
    this.#socket.destroy();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.fail(failure);
  }
}

function unavailable(why: string): GrpcFailure {
  return new GrpcFailure(GrpcStatus.unavailable, why);
}

function hostAndPort(address: string): NetConnectOpts {
  const { hostname, port } = new URL(`http://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), noDelay: true };
}
