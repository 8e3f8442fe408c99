import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { messageOf } from "@etcd-operator/kubernetes-client";
import { ApiError, internalError } from "../api-error.ts";
import { Exchange } from "./exchange.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { WithoutUser } from "./impersonation.ts";
import { requestUrl } from "./request-url.ts";
import { type Routes, route } from "./router.ts";

export interface ListenerNeeds {
  readonly routes: Routes;
  readonly gatekeeper: Gatekeeper;
  isReady(): Promise<boolean>;
  /** For what should not have happened. */
  onError(error: unknown): void;
}

// A quick look, for all the requests that ask for something else.
const isPerhapsHealth = (target = "/") => !target.startsWith("/api");

const HEALTH = /^\/(healthz|livez|readyz)(\/|$)/;

/** Every request comes in here, and every refusal goes out here, as a Status. */
export function requestListener(needs: ListenerNeeds): RequestListener {
  return (request, response) => {
    void handle(needs, request, response).catch((error) => {
      if (error instanceof WithoutUser) tellWithoutUser(request, response, error);
      else refuse(needs, response, error);
    });
  };
}

async function handle(needs: ListenerNeeds, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const user = await needs.gatekeeper.admit(request);
  const health = isPerhapsHealth(request.url) ? HEALTH.exec(requestUrl(request.url).pathname)?.[1] : undefined;
  if (health) return tellHealth(response, health === "livez" || (await needs.isReady()));
  try {
    await route(needs.routes, new Exchange(request, response, user));
  } finally {
    needs.gatekeeper.answered(request);
  }
}

function tellHealth(response: ServerResponse, isHealthy: boolean): void {
  response.writeHead(isHealthy ? 200 : 500, { "content-type": "text/plain; charset=utf-8" });
  response.end(isHealthy ? "ok" : "the store does not answer");
}

function tellWithoutUser({ url = "/" }: IncomingMessage, response: ServerResponse, { message }: WithoutUser): void {
  response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
  response.end(`Internal Server Error: ${JSON.stringify(url)}: ${message}\n`);
}

function refuse(needs: ListenerNeeds, response: ServerResponse, error: unknown): void {
  const refusal = error instanceof ApiError ? error : internalError(messageOf(error));
  if (refusal !== error) needs.onError(error);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const seconds = refusal.details?.retryAfterSeconds;
  if (seconds) response.setHeader("retry-after", seconds);
  response.writeHead(refusal.code, { "content-type": "application/json" });
  response.end(`${JSON.stringify(refusal.status)}\n`);
}
