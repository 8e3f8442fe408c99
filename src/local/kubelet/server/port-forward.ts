import type { Duplex } from "node:stream";
import type { ChannelSocket } from "./channel-socket.ts";
import { type ForwardedPod, type Forwarding, forwardPort } from "./forward-port.ts";
import { SpdyConnection, type SpdyStream } from "./spdy/spdy-connection.ts";

const PAIR_PATIENCE_MS = 30_000;

/** Forwards ports over SPDY: for every connection the client opens a stream for data and one for what goes wrong. */
export class PortForwardSession {
  readonly #pod: ForwardedPod;
  readonly #connection: SpdyConnection;
  readonly #halves = new Map<string, { stream: SpdyStream; impatience: NodeJS.Timeout }>();

  constructor(transport: Duplex, pod: ForwardedPod) {
    this.#pod = pod;
    this.#connection = new SpdyConnection(transport, (stream) => this.#take(stream));
  }

  async run(): Promise<void> {
    try {
      await this.#connection.run();
    } finally {
      for (const { impatience } of this.#halves.values()) clearTimeout(impatience);
    }
  }

  #take(stream: SpdyStream): void {
    const { port, type, request } = partsOf(stream);
    const other = this.#halves.get(request)?.stream;
    const isKnown = isPort(port) && (type === "data" || type === "error");
    if (!isKnown || (other && partsOf(other).type === type)) stream.destroy();
    else if (other) this.#join(request, type === "data" ? [stream, other] : [other, stream]);
    else this.#keep(request, stream);
  }

  #join(request: string, [data, failure]: readonly [SpdyStream, SpdyStream]): void {
    clearTimeout(this.#halves.get(request)?.impatience);
    this.#halves.delete(request);
    // Nobody writes to it; its end has to be read all the same.
    failure.resume();
    void forwardPort({ port: partsOf(data).port, data, failure }, this.#pod);
  }

  #keep(request: string, stream: SpdyStream): void {
    const impatience = setTimeout(() => {
      this.#halves.delete(request);
      stream.destroy();
    }, PAIR_PATIENCE_MS);
    this.#halves.set(request, { stream, impatience });
  }
}

function partsOf({ id, headers }: SpdyStream) {
  const type = headers.get("streamtype") ?? "";
  // Very old clients give no id: their data follows upon its error stream.
  const request = headers.get("requestid") || String(type === "data" ? id - 2 : id);
  return { port: Number(headers.get("port")), type, request };
}

/** Forwards the ports that were asked for over a WebSocket: channels 2n and 2n+1 are data and failure of the n-th, one connection each. */
export async function forwardChannels(
  socket: ChannelSocket,
  ports: readonly number[],
  pod: ForwardedPod,
): Promise<void> {
  const forwardings = ports.map((port, index) => opened(socket, port, index));
  await Promise.all(forwardings.map((forwarding) => forwardPort(forwarding, pod)));
  socket.close();
}

function opened(socket: ChannelSocket, port: number, index: number): Forwarding {
  const [data, failure] = [socket.channel(2 * index), socket.channel(2 * index + 1)];
  const name = Buffer.alloc(2);
  name.writeUInt16LE(port);
  data.write(name);
  failure.write(name);
  return { port, data, failure };
}

/** The ports of `?port=80&port=443`, `?ports=80,443`; a reason why not. */
export function portsOf(query: URLSearchParams): readonly number[] | string {
  const asked = [...query.getAll("port"), ...query.getAll("ports")];
  if (asked.length === 0) return 'query parameter "port" is required';
  const ports = asked.flatMap((each) => each.split(","));
  const odd = ports.find((port) => !isPort(Number(port)) || !/^\d+$/.test(port));
  return odd === undefined ? ports.map(Number) : `unable to parse ${JSON.stringify(odd)} as a port`;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}
