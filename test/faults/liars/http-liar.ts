import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { HttpLie } from "./lies/http.ts";
import type { Liar, Read, Spent } from "./play.ts";

export type Truth = (request: IncomingMessage, response: ServerResponse) => unknown;

/** An HTTP server with correct answers, except for the planned lies. */
export async function httpLiar(truth: Truth, lying?: { readonly read: Read; readonly lie: HttpLie }): Promise<Liar> {
  const spent: Spent = { mostBytes: 0, lies: 0 };
  const sockets = new Set<Socket>();
  let isLying = lying !== undefined;
  const server = createServer((request, response) => {
    const { url = "/", method = "GET" } = request;
    request.resume();
    if (!lying || !isLying || lying.read.isAbout?.({ method, url }) === false) return void truth(request, response);
    spent.lies += 1;
    lying.lie.tell(request.socket, { url, spent, filler: lying.read.filler ?? "nothing " });
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("close", () => sockets.delete(socket));
  });
  // What breaks off is none of this server's business.
  server.on("clientError", (_, socket) => socket.destroy());
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
