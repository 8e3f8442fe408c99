import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "@etcd-operator/kubernetes-client";
import type { Health } from "./health.ts";
import { type ListenAddress, parseListenAddress } from "./listen-address.ts";
import { ListenError } from "./listen-error.ts";
import type { LoopMetrics } from "./loop-metrics.ts";

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** In the `Server` header of every answer: how programs of ours in one pod know each other. */
const SERVER = "etcd-operator";

interface Page {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

/** Serves /metrics, /healthz and /readyz; resolves once it listens. */
export async function serveHealth(
  listenAddr: string,
  { health, metrics }: { readonly health: Health; readonly metrics: Pick<LoopMetrics, "page"> },
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    void pageOf(request, health, metrics).then((page) => send(response, page));
  });
  await listen(server, listenAddr, parseListenAddress(listenAddr));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // A scraper keeps the connection open; its next scrape has to reach the next leader.
      server.closeAllConnections();
      await closed;
    },
  };
}

const ANSWER_MS = 2_000;

/** Whether it is a program of ours that listens at an address. One that does not answer is taken for a foreign one. */
export async function isServedByOurs(listenAddr: string): Promise<boolean> {
  const { host, port } = parseListenAddress(listenAddr);
  const reached = host === undefined ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const url = `http://${reached}:${port}/healthz`;
  try {
    const answer = await fetch(url, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.headers.get("server") === SERVER;
  } catch {
    return false;
  }
}

async function pageOf(request: IncomingMessage, health: Health, metrics: Pick<LoopMetrics, "page">): Promise<Page> {
  if (request.method !== "GET" && request.method !== "HEAD") return { status: 405, text: "only GET\n" };
  switch (request.url?.split("?")[0]) {
    case "/metrics":
      return metrics.page().then(
        (page) => ({ status: 200, ...page }),
        (error: unknown) => ({ status: 500, text: `${String(error)}\n` }),
      );
    case "/healthz":
      return verdict(health.notAlive);
    case "/readyz":
      return verdict(health.notReady);
    default:
      return { status: 404, text: "there are /metrics, /healthz and /readyz\n" };
  }
}

function verdict(complaints: readonly string[]): Page {
  return complaints.length === 0 ? { status: 200, text: "ok\n" } : { status: 503, text: `${complaints.join("\n")}\n` };
}

function send(response: ServerResponse, { status, text, contentType = "text/plain; charset=utf-8" }: Page): void {
  response.writeHead(status, { "content-type": contentType, server: SERVER });
  response.end(text);
}

async function listen(server: Server, listenAddr: string, { host, port }: ListenAddress): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, ...(host && { host }) }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (cause) {
    throw refused(listenAddr, cause);
  }
}

function refused(listenAddr: string, cause: unknown): ListenError {
  const operation = `listen on '${listenAddr}'`;
  const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
  const message = isTaken
    ? "another process listens there: stop it, or choose another address with --listen-addr"
    : `${messageOf(cause)}: choose another address with --listen-addr`;
  return new ListenError(isTaken ? "address-in-use" : "address-unavailable", { operation, message, cause });
}
