import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { frame } from "@etcd-operator/etcd-client/grpc/frame.ts";
import type { GrpcLie } from "./lies/grpc.ts";
import type { Liar, Read, Spent } from "./play.ts";

/** The messages of a good answer to a call. */
export type GrpcTruth = (path: string) => readonly Uint8Array[];

/** An etcd with correct answers, except for the planned lies. */
export async function grpcLiar(
  truth: GrpcTruth,
  lying?: { readonly read: Read; readonly lie: GrpcLie },
): Promise<Liar> {
  const spent: Spent = { mostBytes: 0, lies: 0 };
  const sockets = new Set<Socket>();
  let isLying = lying !== undefined;
  const speaker = createHttp2Server();
  speaker.on("session", (session) => session.on("error", () => undefined));
  speaker.on("stream", (stream, { ":path": path = "" }) => {
    stream.on("error", () => undefined);
    if (lying?.lie.at !== "call" || !isLying || lying.read.isAbout?.({ method: "POST", url: path }) === false) {
      return answer(stream, truth(path));
    }
    spent.lies += 1;
    lying.lie.tell(stream, spent, Buffer.from(truth(path)[0] ?? []));
  });
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("close", () => sockets.delete(socket));
    if (lying?.lie.at !== "connection" || !isLying) return void speaker.emit("connection", socket);
    const { lie } = lying;
    socket.once("data", () => {
      spent.lies += 1;
      lie.tell(socket, spent);
      socket.resume();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    spent,
    repent() {
      isLying = false;
      closeAll();
    },
    async close() {
      closeAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(stream: ServerHttp2Stream, messages: readonly Uint8Array[]): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  for (const message of messages) stream.write(frame(message));
  stream.end();
}
