import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { LocalConfig } from "../../config.ts";
import { messageOf } from "../kubelet-error.ts";
import type { PodWorker } from "../pod-worker.ts";
import { serveExec } from "./exec-session.ts";
import { isSet, logQuery } from "./log-query.ts";
import { refuse, serveLog } from "./serve-log.ts";

export interface KubeletServerOptions {
  readonly find: (namespace: string, pod: string) => PodWorker | undefined;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/**
 * Serves what only the kubelet has, to the API server: `GET /containerLogs/<namespace>/<pod>/<container>` and the
 * WebSocket `/exec/<namespace>/<pod>/<container>`. Whoever asks has to know the administrator's token.
 */
export async function startKubeletServer(
  config: LocalConfig,
  { find, signal, log }: KubeletServerOptions,
): Promise<{ closed: Promise<unknown> }> {
  const [cert, key, token] = await Promise.all([
    readFile(config.pki.certFile),
    readFile(config.pki.keyFile),
    readFile(config.pki.tokenFile, "utf8"),
  ]);
  const isKnown = (request: IncomingMessage) => isSame(request.headers.authorization ?? "", `Bearer ${token.trim()}`);
  const server = createServer({ cert, key }, (request, response) => {
    if (!isKnown(request)) return refuse(response, 401, "Unauthorized");
    answer(config.stateDir, find, request, response).catch((error: unknown) => {
      log(`${request.method} ${request.url}: ${messageOf(error)}`);
      response.destroy();
    });
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => protocols.find((each) => offered.has(each)) ?? false,
  });
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => undefined);
    if (!isKnown(request)) return rejectUpgrade(socket, "401 Unauthorized", "Unauthorized");
    upgrade(sockets, find, request, socket, head, log);
  });
  server.listen(config.kubeletPort, "127.0.0.1");
  await once(server, "listening");
  const closed = once(server, "close");
  const close = () => {
    for (const client of sockets.clients) client.terminate();
    server.close();
    server.closeAllConnections();
  };
  signal.addEventListener("abort", close, { once: true });
  return { closed };
}

async function answer(
  stateDir: string,
  find: KubeletServerOptions["find"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { verb, namespace, pod, container, query } = partsOf(request);
  if (verb === "healthz") {
    response.end("ok");
    return;
  }
  if (request.method !== "GET" || verb !== "containerLogs" || !container)
    return refuse(response, 404, "404 page not found");
  const worker = find(namespace, pod);
  if (!worker) return refuse(response, 404, `pod "${pod}" not found`);
  await serveLog(stateDir, worker, container, logQuery(query, Date.now()), response);
}

function upgrade(
  sockets: WebSocketServer,
  find: KubeletServerOptions["find"],
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  log: (message: string) => void,
): void {
  const { verb, namespace, pod, container, query } = partsOf(request);
  const running = verb === "exec" ? find(namespace, pod)?.container(container)?.running : undefined;
  if (!running) {
    rejectUpgrade(socket, "404 Not Found", `container not found ("${container}")`);
    return;
  }
  sockets.handleUpgrade(request, socket, head, (client) => {
    const wanted = {
      command: query.getAll("command"),
      hasStdin: isSet(query, "stdin"),
      hasTerminal: isSet(query, "tty"),
    };
    client.on("error", (error) => log(`exec in ${namespace}/${pod}: ${error.message}`));
    serveExec(client, running, wanted).catch((error: unknown) => {
      log(`exec in ${namespace}/${pod}: ${messageOf(error)}`);
      client.terminate();
    });
  });
}

function partsOf({ url = "/" }: IncomingMessage) {
  const { pathname, searchParams } = new URL(url, "https://kubelet");
  const [verb = "", namespace = "", pod = "", container = ""] = pathname.split("/").slice(1).map(decodeURIComponent);
  return { verb, namespace, pod, container, query: searchParams };
}

function rejectUpgrade(socket: Duplex, status: string, message: string): void {
  const length = Buffer.byteLength(message);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${message}`,
  );
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
