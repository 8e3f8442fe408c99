import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

export interface RecordingProxy {
  readonly url: string;
  /** What it was asked for, as in "CONNECT s3.example:443", and as whom. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** For tests: a proxy that leads to one place, whatever it is asked for; or, without one, nowhere. */
export async function startRecordingProxy(leadsTo?: { host: string; port: number }): Promise<RecordingProxy> {
  const asked: string[] = [];
  const tunnels = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(502).end());
  server.on("connect", ({ url, headers }, socket) => {
    const user = Buffer.from(headers["proxy-authorization"]?.slice("Basic ".length) ?? "", "base64").toString();
    asked.push(`CONNECT ${url}${user && ` as ${user}`}`);
    socket.on("error", () => undefined);
    if (!leadsTo) {
      socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
      return;
    }
    const upstream = connect(leadsTo, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    tunnels.add(socket);
    upstream.on("error", () => socket.destroy());
    socket.on("close", () => {
      tunnels.delete(socket);
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => {
      for (const tunnel of tunnels) tunnel.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
