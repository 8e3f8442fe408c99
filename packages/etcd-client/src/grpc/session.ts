import { type ClientHttp2Session, type ClientHttp2Stream, connect, type SecureClientSessionOptions } from "node:http2";
import { connect as connectSocket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { type Endpoint, type EndpointTls, socketPathOf } from "../endpoint.ts";
import { secureContextOf } from "../secure-context.ts";
import { GrpcFailure, GrpcStatus } from "./grpc-failure.ts";

/** When a silent connection is given up. etcd hangs up on clients that ping more often than every 5 s. */
export interface KeepAlive {
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** A connection without calls is closed after so long; the next call opens another. */
  readonly idleTimeoutMs: number;
}

export const DEFAULT_KEEP_ALIVE: KeepAlive = {
  connectTimeoutMs: 4_000,
  pingIntervalMs: 10_000,
  pingTimeoutMs: 10_000,
  idleTimeoutMs: 20_000,
};

// HTTP/2's default window of 64 KiB caps a snapshot at 64 MB/s per millisecond of round trip. One stream buffers at
// most its own window, so this is also the memory a slow reader can cost.
const STREAM_WINDOW_BYTES = 4 << 20;
const CONNECTION_WINDOW_BYTES = 8 << 20;

// Node counts large requests in flight against this and refuses new streams beyond it; its default is 10.
const SESSION_MEMORY_MB = 1_024;

/**
 * One HTTP/2 connection to one etcd process. It carries any number of calls, fails them all when it breaks, and is then
 * thrown away: `Connection` reconnects, and nothing retries.
 */
export class Session {
  readonly #http2: ClientHttp2Session;
  readonly #keepAlive: KeepAlive;
  /**
   * While calls are open it pings, else it waits to close: nothing wakes the process for an unused connection.
   */
  #timer: NodeJS.Timeout;
  #openStreams = 0;
  #lastPingAt = performance.now();

  constructor(endpoint: Endpoint, keepAlive: KeepAlive, onClose: () => void) {
    this.#keepAlive = keepAlive;
    this.#http2 = open(endpoint);
    this.#timer = this.#closeLater();
    this.#giveUpConnectingLate();
    // The calls in flight report what went wrong. This listener stays for good, because an "error" without a listener
    // ends the process, and Node may raise one on an idle connection, or after the last call is over (connect-es#1768).
    this.#http2.on("error", () => {});
    this.#http2.once("close", () => {
      clearTimeout(this.#timer);
      onClose();
    });
  }

  /** False once the connection broke, or the server announced with GOAWAY that it will take no new calls. */
  get isUsable(): boolean {
    return !this.#http2.closed && !this.#http2.destroyed;
  }

  /** Starts a call; before the connection stands, Node holds it back. */
  request(path: string, headers: Readonly<Record<string, string>>): ClientHttp2Stream {
    const stream = this.#http2.request({
      ...headers,
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc+proto",
      te: "trailers",
    });
    const ended = this.#began();
    // Node closes a stream a moment after its answer has ended; the caller has the answer by then.
    stream.once("end", ended);
    stream.once("close", ended);
    this.#pingIfDue();
    return stream;
  }

  /** Ends the connection and every call on it. Without an open call no error is made, as no caller would get it. */
  close(status: number, why: string): void {
    this.#http2.destroy(this.#openStreams === 0 ? undefined : new GrpcFailure(status, why));
  }

  #giveUpConnectingLate(): void {
    const { connectTimeoutMs } = this.#keepAlive;
    const timer = setTimeout(() => {
      this.close(GrpcStatus.unavailable, `no connection within ${connectTimeoutMs} ms`);
    }, connectTimeoutMs);
    this.#http2.once("close", () => clearTimeout(timer));
    this.#http2.once("connect", () => {
      clearTimeout(timer);
      // Node tells of a connection that came about after its session was given up, too; there, this call throws.
      if (this.isUsable) this.#http2.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    });
  }

  /** Returns what to call when it has ended, as often as one likes. */
  #began(): () => void {
    this.#openStreams += 1;
    if (this.#openStreams === 1) {
      clearTimeout(this.#timer);
      this.#timer = setInterval(() => this.#pingIfDue(), this.#keepAlive.pingIntervalMs).unref();
    }
    let isOpen = true;
    return () => {
      if (isOpen) this.#ended();
      isOpen = false;
    };
  }

  #ended(): void {
    this.#openStreams -= 1;
    if (this.#openStreams > 0) return;
    clearTimeout(this.#timer);
    if (this.isUsable) this.#timer = this.#closeLater();
  }

  #closeLater(): NodeJS.Timeout {
    return setTimeout(() => this.#http2.close(), this.#keepAlive.idleTimeoutMs).unref();
  }

  // Pings go out only while a call is open, as etcd demands, and with the first call after a silence: that call then
  // finds a dead peer by itself instead of every later call running into its deadline.
  #pingIfDue(): void {
    const now = performance.now();
    if (this.#openStreams === 0 || this.#http2.connecting || !this.isUsable) return;
    if (now - this.#lastPingAt < this.#keepAlive.pingIntervalMs * 0.9) return;
    this.#lastPingAt = now;
    this.#ping();
  }

  #ping(): void {
    let isAnswered = false;
    const timer = setTimeout(() => {
      // After a pause of our own process the timer fires before the answer that is waiting in the socket is read.
      setImmediate(() => {
        if (!isAnswered) this.close(GrpcStatus.unavailable, "the server does not answer pings");
      });
    }, this.#keepAlive.pingTimeoutMs).unref();
    this.#http2.ping(() => {
      isAnswered = true;
      clearTimeout(timer);
    });
  }
}

function open(endpoint: Endpoint): ClientHttp2Session {
  const { address, tls, lookup } = endpoint;
  const options: SecureClientSessionOptions = {
    ...(lookup && { lookup }),
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    maxSessionMemory: SESSION_MEMORY_MB,
  };
  const path = socketPathOf(address);
  if (path !== undefined)
    return connect("http://localhost", { ...options, createConnection: () => connectSocket({ path }) });
  if (tls === undefined) return connect(`http://${address}`, options);
  return connect(`https://${address}`, { ...options, ...secureOptions(tls, endpoint) });
}

/** What Node's own TLS is told of an endpoint. */
export function secureOptions(tls: EndpointTls, { serverName }: Endpoint): ConnectionOptions {
  return { secureContext: secureContextOf(tls), ...(serverName !== undefined && { servername: serverName }) };
}
