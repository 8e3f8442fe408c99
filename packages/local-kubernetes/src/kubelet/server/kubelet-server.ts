import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { messageOf } from "@etcd-operator/kubernetes-client";
import type { KubeletConfig } from "../../config.ts";
import type { PodWorker } from "../pod-worker.ts";
import { kubeletPath } from "./kubelet-path.ts";
import { logQuery } from "./log-query.ts";
import { refuse, serveLog } from "./serve-log.ts";
import { refuseUpgrade, Upgrades } from "./upgrades.ts";

export interface KubeletServerOptions {
  readonly find: (namespace: string, pod: string) => PodWorker | undefined;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/**
 * Serves what only the kubelet has, to the API server: `GET /containerLogs/<namespace>/<pod>/<container>` and, as a
 * WebSocket, `/exec` of the same. Each request has to bring the administrator's token.
 */
export async function startKubeletServer(
  config: Pick<KubeletConfig, "stateDir" | "kubeletPort" | "pki">,
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
  const upgrades = new Upgrades(find, log);
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => undefined);
    if (!isKnown(request)) return refuseUpgrade(socket, "401 Unauthorized", "Unauthorized");
    upgrades.take(request, socket, head);
  });
  server.listen(config.kubeletPort, "127.0.0.1");
  await once(server, "listening");
  const closed = once(server, "close");
  const close = () => {
    upgrades.close();
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
  const { verb, namespace, pod, container, query } = kubeletPath(request);
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

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
