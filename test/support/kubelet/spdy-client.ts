import type { Duplex } from "node:stream";
import {
  dataBytes,
  FrameReader,
  openBytes,
  pingBytes,
  resetBytes,
} from "../../../src/local/kubelet/server/spdy/frame.ts";
import { HeaderWriter } from "../../../src/local/kubelet/server/spdy/header-block.ts";
import { until } from "../kube/until.ts";

/** What the client heard on one stream. */
export interface Heard {
  bytes: number;
  text: string;
  isEnded: boolean;
  isReset: boolean;
}

/** The client's side of SPDY as kubectl speaks it, over anything that carries bytes. */
export class SpdyClient {
  readonly #transport: Duplex;
  readonly #reader = new FrameReader();
  readonly #headers = new HeaderWriter();
  readonly #heard = new Map<number, Heard>();
  readonly pings: number[] = [];
  isClosed = false;
  #nextId = 1;

  constructor(transport: Duplex) {
    this.#transport = transport;
    transport.on("data", (chunk: Buffer) => this.#receive(chunk));
    for (const event of ["end", "close", "error"]) transport.on(event, () => (this.isClosed = true));
  }

  open(headers: Readonly<Record<string, string>>): number {
    const id = this.#nextId;
    this.#nextId += 2;
    this.#heard.set(id, { bytes: 0, text: "", isEnded: false, isReset: false });
    this.#transport.write(openBytes(id, this.#headers.write(new Map(Object.entries(headers)))));
    return id;
  }

  /** Opens the two streams of a forwarded connection, as kubectl does. */
  forward(port: number, requestid: string): { data: number; failure: number } {
    const failure = this.open({ streamtype: "error", port: String(port), requestid });
    this.end(failure);
    return { failure, data: this.open({ streamtype: "data", port: String(port), requestid }) };
  }

  /** False: the transport is full. */
  send(id: number, data: string | Buffer): boolean {
    return this.#transport.write(dataBytes(id, Buffer.from(data), false));
  }

  end(id: number): void {
    this.#transport.write(dataBytes(id, Buffer.alloc(0), true));
  }

  reset(id: number): void {
    this.#transport.write(resetBytes(id));
  }

  ping(id: number): void {
    this.#transport.write(pingBytes(id));
  }

  heard(id: number): Heard {
    const heard = this.#heard.get(id);
    if (!heard) throw new Error(`there is no stream ${id}`);
    return heard;
  }

  async ended(id: number): Promise<string> {
    const isOver = () => this.heard(id).isEnded || this.heard(id).isReset;
    await until(isOver, { what: `the end of stream ${id}`, everyMs: 5 });
    return this.heard(id).text;
  }

  #receive(chunk: Buffer): void {
    for (const frame of this.#reader.push(chunk)) {
      if (frame.kind === "ping") this.pings.push(frame.id);
      if (frame.kind === "reset") this.heard(frame.streamId).isReset = true;
      if (frame.kind !== "data") continue;
      const heard = this.heard(frame.streamId);
      heard.bytes += frame.data.length;
      // Large transfers are counted only.
      if (heard.bytes < 1_000_000) heard.text += frame.data.toString("utf8");
      heard.isEnded ||= frame.isLast;
    }
  }
}
