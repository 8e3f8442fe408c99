import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/**
 * A way for TCP into another network namespace: a socket in the file system, which both sides see. A connection begins
 * with a line that says where it leads, such as "10.200.0.1:6443".
 */
export async function serveTunnel(path: string): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once("data", (first: Buffer) => {
      socket.pause();
      const end = first.indexOf("\n");
      const [host = "", port = ""] = first.subarray(0, end).toString().split(":");
      const target = createConnection({ host, port: Number(port), allowHalfOpen: true });
      target.write(first.subarray(end + 1));
      join(socket, target);
    });
  });
  server.listen(path);
  await once(server, "listening");
}

export interface Tunnel {
  /** On the loopback address. */
  readonly port: number;
  close(): void;
}

/** Listens on this side, and leads every connection to an address on the other. */
export async function openTunnel(path: string, address: string): Promise<Tunnel> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const target = createConnection({ path, allowHalfOpen: true });
    target.write(`${address}\n`);
    join(socket, target);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

// The end of one side is the end of the other; what went wrong is for the two programs to notice.
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.once("close", () => to.destroySoon());
  }
}
