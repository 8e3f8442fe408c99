import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { frame } from "@etcd-operator/etcd-client/grpc/frame.ts";
import type { Lie, Spent } from "../play.ts";
import { dribble, pour, repeated } from "../poured.ts";
import { emptySettings, Flag, FrameType, frameBytes } from "./frames.ts";

/** How an etcd lies: to a call, or on the connection itself, where no library would let it. */
export type GrpcLie = Lie &
  (
    | { readonly at: "call"; tell(to: ServerHttp2Stream, spent: Spent, filler: Buffer): void }
    | { readonly at: "connection"; tell(to: Socket, spent: Spent): void }
  );

const OK = { ":status": 200, "content-type": "application/grpc" };
const GONE = ["unavailable", "deadline"];

export const grpcLies: Readonly<Record<string, GrpcLie>> = {
  "never-answers": atCall(["deadline", "stalled"], () => undefined),
  "huge-frame": atCall(["too-large"], (to, spent) => {
    to.respond(OK);
    to.write(announced(1 << 30));
    pour(to, repeated("x"), spent);
  }),
  "larger-than-allowed": atCall(["too-large"], (to, spent) => {
    to.respond(OK);
    to.write(announced((4 << 20) + 1));
    pour(to, repeated("x"), spent);
  }),
  "empty-frames": atCall(["unknown"], (to, spent) => {
    to.respond(OK);
    pour(to, repeated(frame(Buffer.alloc(0))), spent);
  }),
  "messages-without-end": atCall(["unknown", "stalled", "damaged"], (to, spent, filler) => {
    to.respond(OK);
    pour(to, repeated(frame(filler)), spent);
  }),
  "not-a-message": atCall(["unknown"], (to) => {
    to.respond(OK, { waitForTrailers: true });
    to.on("wantTrailers", () => to.sendTrailers({ "grpc-status": "0" }));
    to.end(frame(Buffer.alloc(1_000, 0xff)));
  }),
  compressed: atCall(["unknown"], (to) => {
    to.respond(OK);
    to.write(Buffer.from([1, 0, 0, 0, 1, 0]));
  }),
  "dribbled-message": atCall(["deadline", "stalled"], (to) => {
    to.respond(OK);
    to.write(announced(60_000));
    dribble(to, "x");
  }),
  "cut-message": atCall(GONE, (to) => {
    to.respond(OK);
    to.write(announced(60_000), () => to.session?.destroy());
  }),
  "long-refusal": atCall(["refused"], (to) => {
    to.respond({ ...OK, "grpc-status": "9", "grpc-message": "x".repeat(30_000) }, { endStream: true });
  }),
  "no-status": atCall(["unavailable", "damaged"], (to) => {
    to.respond(OK);
    to.end();
  }),
  "goes-away": atCall([...GONE, "stalled"], (to) => to.session?.goaway(0)),
  "never-speaks": atConnection(["deadline", "stalled"], () => undefined),
  closes: atConnection(GONE, (to) => void to.destroy()),
  "speaks-no-http2": atConnection(GONE, (to, spent) => pour(to, repeated("HTTP/1.1 400 Bad Request\r\n\r\n"), spent)),
  "dribbled-settings": atConnection(["deadline", "stalled"], (to) => dribble(to, emptySettings())),
  "endless-header-fields": atConnection(GONE, (to, spent) => {
    begin(to, frameBytes(FrameType.headers, 0, 1, Buffer.of(0x88)));
    pour(to, repeated(frameBytes(FrameType.continuation, 0, 1, field())), spent);
  }),
  "empty-data": atConnection(GONE, (to, spent) => {
    begin(to, frameBytes(FrameType.headers, Flag.endHeaders, 1, Buffer.of(0x88)));
    pour(to, repeated(frameBytes(FrameType.data, 0, 1, Buffer.alloc(0))), spent);
  }),
  "endless-pings": atConnection([...GONE, "stalled"], (to, spent) => {
    begin(to, Buffer.alloc(0));
    pour(to, repeated(frameBytes(FrameType.ping, 0, 0, Buffer.alloc(8))), spent);
  }),
  "endless-settings": atConnection([...GONE, "stalled"], (to, spent) => pour(to, repeated(emptySettings()), spent)),
};

function atCall(ends: readonly string[], tell: (GrpcLie & { at: "call" })["tell"]): GrpcLie {
  return { ends, at: "call", tell };
}

function atConnection(ends: readonly string[], tell: (GrpcLie & { at: "connection" })["tell"]): GrpcLie {
  return { ends, at: "connection", tell };
}

function announced(bytes: number): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(bytes, 1);
  return header;
}

/** Only once the client has sent its call: before, there is no stream 1. */
function begin(to: Socket, first: Buffer): void {
  to.write(emptySettings());
  to.write(first);
}

/** A header field in full: "x: aaa…". */
function field(): Buffer {
  return Buffer.concat([Buffer.of(0, 1, 0x78, 100), Buffer.alloc(100, "a")]);
}
