import { createSocket } from "node:dgram";
import { addAbortListener, once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { NetworkError } from "../network-error.ts";
import { replyTo, type Zone } from "./exchange.ts";

export interface DnsServerOptions extends Zone {
  readonly ip: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

const IDLE_MS = 10_000;

/** Answers questions over UDP and TCP until aborted; resolves when it listens, with the port. */
export async function startDnsServer(options: DnsServerOptions): Promise<number> {
  try {
    // TCP first: of a port that the system picks, connections of others may have taken that half only.
    const port = await listenTcp(options);
    await listenUdp({ ...options, port });
    return port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const remedy = "something on this machine listens on that port of all addresses: let it listen on its own only";
    const message = `Could not serve DNS on ${options.ip}:${options.port}: ${remedy} (ss -lnp shows what)`;
    throw new NetworkError("address-in-use", "serve DNS", message, { cause: error });
  }
}

async function listenUdp({ ip, port, signal, ...zone }: DnsServerOptions): Promise<void> {
  const socket = createSocket({ type: "udp4", recvBufferSize: 1 << 20 });
  socket.on("message", (message, { port: theirPort, address }) => {
    const reply = replyTo(message, zone, "udp");
    // The client asks again when the reply is lost, for whatever reason.
    if (reply) socket.send(reply, theirPort, address, () => undefined);
  });
  socket.bind(port, ip);
  await once(socket, "listening");
  socket.on("error", () => undefined);
  addAbortListener(signal, () => socket.close());
}

async function listenTcp({ ip, port, signal, ...zone }: DnsServerOptions): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    serveConnection(socket, zone);
  });
  server.listen(port, ip);
  await once(server, "listening");
  addAbortListener(signal, () => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function serveConnection(socket: Socket, zone: Zone): void {
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    const { messages, rest: unfinished } = splitMessages(Buffer.concat([rest, chunk]));
    rest = unfinished;
    for (const message of messages) {
      const reply = replyTo(message, zone, "tcp");
      if (reply) socket.write(Buffer.concat([lengthPrefix(reply), reply]));
    }
  });
}

function lengthPrefix({ length }: Buffer): Buffer {
  return Buffer.from([length >> 8, length & 0xff]);
}

/** Cuts what arrived over TCP into messages, each of which follows its length in two bytes. */
export function splitMessages(bytes: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= 2) {
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) break;
    messages.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}
