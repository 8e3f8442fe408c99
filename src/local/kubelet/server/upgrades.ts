import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { RunningContainer } from "../container-run.ts";
import { messageOf } from "../kubelet-error.ts";
import type { PodWorker } from "../pod-worker.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type Agreement, agreementFor, type Spoken } from "./agreement.ts";
import { serveAttach } from "./attach-session.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { channelStreams, spdyStreams } from "./command-streams.ts";
import { serveExec } from "./exec-session.ts";
import { kubeletPath } from "./kubelet-path.ts";
import { isSet } from "./log-query.ts";
import { PodDialer } from "./pod-dialer.ts";
import { forwardChannels, PortForwardSession, portsOf } from "./port-forward.ts";

const COMMAND: Spoken = { websocket: ["v5.channel.k8s.io", "v4.channel.k8s.io"], spdy: ["v4.channel.k8s.io"] };
const PORT_FORWARD: Spoken = {
  "spdy in a websocket": ["portforward.k8s.io"],
  websocket: ["v4.channel.k8s.io"],
  spdy: ["portforward.k8s.io"],
};

/** An upgraded connection, before anybody has said anything on it. */
type Carried = { readonly kind: "channels"; readonly socket: ChannelSocket } | Bytes;

interface Bytes {
  readonly kind: "spdy";
  readonly transport: Duplex;
}

/** Takes requests that become connections: exec, attach and port-forward. */
export class Upgrades {
  readonly #find: (namespace: string, pod: string) => PodWorker | undefined;
  readonly #log: (message: string) => void;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #answers = new WeakMap<IncomingMessage, readonly string[]>();
  readonly #raw = new Set<Duplex>();

  constructor(find: (namespace: string, pod: string) => PodWorker | undefined, log: (message: string) => void) {
    this.#find = find;
    this.#log = log;
    this.#sockets.on("headers", (headers, request) => headers.push(...(this.#answers.get(request) ?? [])));
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#take(request, socket, head).catch((error: unknown) => {
      this.#log(`${request.url}: ${messageOf(error)}`);
      socket.destroy();
    });
  }

  close(): void {
    for (const client of this.#sockets.clients) client.terminate();
    for (const socket of this.#raw) socket.destroy();
  }

  async #take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { verb, namespace, pod, container, query } = kubeletPath(request);
    const worker = this.#find(namespace, pod);
    if (verb === "portForward") {
      const sandbox = worker?.sandbox;
      if (worker && sandbox) await this.#forward(request, socket, head, sandbox, worker.pod.metadata.uid);
      else refuseUpgrade(socket, "404 Not Found", "pod does not exist");
      return;
    }
    const running = worker?.container(container)?.running;
    const isCommand = verb === "exec" || verb === "attach";
    if (isCommand && running) await this.#command(request, socket, head, running, query, verb);
    else refuseUpgrade(socket, "404 Not Found", `container not found ("${container}")`);
  }

  async #command(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    running: RunningContainer,
    query: URLSearchParams,
    verb: "exec" | "attach",
  ): Promise<void> {
    const carried = await this.#accept(request, socket, head, COMMAND);
    if (!carried) return;
    const hasTerminal = isSet(query, "tty");
    const asked = ["stdin", "stdout", "stderr"].filter((name) => isSet(query, name));
    const streams =
      carried.kind === "channels"
        ? channelStreams(carried.socket)
        : await spdyStreams(carried.transport, ["error", ...asked, ...(hasTerminal ? ["resize"] : [])], this.#log);
    if (!streams) return;
    if (verb === "attach") return serveAttach(streams, running);
    await serveExec(streams, running, {
      command: query.getAll("command"),
      hasStdin: asked.includes("stdin"),
      hasTerminal,
    });
  }

  async #forward(request: IncomingMessage, socket: Duplex, head: Buffer, sandbox: Sandbox, uid: string): Promise<void> {
    const carried = await this.#accept(request, socket, head, PORT_FORWARD);
    if (!carried) return;
    const dialer = new PodDialer(sandbox.pid);
    const pod = { uid, dial: (port: number) => dialer.dial(port) };
    // A pod that is gone takes its connections along, and whoever forwards to it should know.
    void sandbox.ended.then(() => socket.destroy());
    try {
      if (carried.kind === "spdy") return await new PortForwardSession(carried.transport, pod).run();
      const ports = portsOf(kubeletPath(request).query);
      if (typeof ports === "string") throw new Error(ports);
      await forwardChannels(carried.socket, ports, pod);
    } finally {
      dialer.close();
    }
  }

  /** Undefined: there is no protocol that both know, and the client has been told. */
  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer, spoken: Spoken): Promise<Carried | undefined> {
    const agreement = agreementFor(request, spoken);
    if (typeof agreement === "string") return void refuseUpgrade(socket, "403 Forbidden", agreement);
    if (agreement.carrier === "spdy") return { kind: "spdy", transport: this.#switched(socket, head, agreement) };
    const client = await this.#webSocket(request, socket, head, agreement);
    if (agreement.carrier === "websocket") return { kind: "channels", socket: new ChannelSocket(client) };
    return { kind: "spdy", transport: createWebSocketStream(client) };
  }

  #switched(socket: Duplex, head: Buffer, { answer }: Agreement): Duplex {
    const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: SPDY/3.1", ...answer];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    this.#raw.add(socket);
    socket.once("close", () => this.#raw.delete(socket));
    return socket;
  }

  async #webSocket(request: IncomingMessage, socket: Duplex, head: Buffer, { answer }: Agreement): Promise<WebSocket> {
    // The library takes no name with a "/" in it, so it sees none, and the answer is put in again.
    delete request.headers["sec-websocket-protocol"];
    this.#answers.set(request, answer);
    return new Promise((resolve) => {
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        client.on("error", (error) => this.#log(error.message));
        resolve(client);
      });
    });
  }
}

export function refuseUpgrade(socket: Duplex, status: string, message: string): void {
  const length = Buffer.byteLength(message);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${message}`,
  );
}
