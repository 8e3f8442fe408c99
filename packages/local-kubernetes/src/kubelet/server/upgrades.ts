import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf } from "@etcd-operator/kubernetes-client";
import { type WebSocket, WebSocketServer } from "ws";
import type { PodWorker } from "../pod-worker.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { channelStreams } from "./command-streams.ts";
import { serveExec } from "./exec-session.ts";
import { kubeletPath } from "./kubelet-path.ts";
import { isSet } from "./log-query.ts";

// The best first. The second is what a client that names none is taken to speak.
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/** Takes requests that become connections: exec. */
export class Upgrades {
  readonly #find: (namespace: string, pod: string) => PodWorker | undefined;
  readonly #log: (message: string) => void;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false,
  });

  constructor(find: (namespace: string, pod: string) => PodWorker | undefined, log: (message: string) => void) {
    this.#find = find;
    this.#log = log;
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#take(request, socket, head).catch((error: unknown) => {
      this.#log(`${request.url}: ${messageOf(error)}`);
      socket.destroy();
    });
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { verb, namespace, pod, container, query } = kubeletPath(request);
    const running = verb === "exec" ? this.#find(namespace, pod)?.container(container)?.running : undefined;
    if (!running) return refuseUpgrade(socket, "404 Not Found", `container not found ("${container}")`);
    const refusal = whyNotUpgraded(request);
    if (refusal !== undefined) return refuseUpgrade(socket, "403 Forbidden", `unable to upgrade: ${refusal}`);
    const client = await this.#webSocket(request, socket, head);
    await serveExec(channelStreams(new ChannelSocket(client)), running, {
      command: query.getAll("command"),
      hasStdin: isSet(query, "stdin"),
      hasTerminal: isSet(query, "tty"),
    });
  }

  async #webSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> {
    return new Promise((resolve) => {
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        client.on("error", (error) => this.#log(error.message));
        resolve(client);
      });
    });
  }
}

/** Undefined: the client asks for a WebSocket, and for no protocol on it or for one that is known here. */
function whyNotUpgraded({ headers }: IncomingMessage): string | undefined {
  const { upgrade = "", "sec-websocket-protocol": protocols = "" } = headers;
  if (upgrade.toLowerCase() !== "websocket") return `unknown protocol ${JSON.stringify(upgrade)}`;
  const offered = protocols.split(",").map((name) => name.trim());
  if (protocols === "" || offered.some((name) => PROTOCOLS.includes(name))) return undefined;
  const [theirs, ours] = [offered, PROTOCOLS].map((names) => `[${names.join(" ")}]`);
  return `unable to negotiate protocol: client supports ${theirs}, server accepts ${ours}`;
}

export function refuseUpgrade(socket: Duplex, status: string, message: string): void {
  const length = Buffer.byteLength(message);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${message}`,
  );
}
