import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { ApiError, internalError } from "../api-error.ts";
import type { Authenticator } from "./authentication.ts";
import { Exchange } from "./exchange.ts";
import { type Routes, route } from "./router.ts";

export interface ListenerNeeds {
  readonly routes: Routes;
  readonly authenticator: Authenticator;
  isReady(): Promise<boolean>;
  /** For what should not have happened. */
  onError(error: unknown): void;
}

const HEALTH = /^\/(healthz|livez|readyz)(\/|\?|$)/;

/** Every request comes in here, and every refusal goes out here, as a Status. */
export function requestListener(needs: ListenerNeeds): RequestListener {
  return (request, response) => {
    void handle(needs, request, response).catch((error) => refuse(needs, response, error));
  };
}

async function handle(needs: ListenerNeeds, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const health = HEALTH.exec(request.url ?? "")?.[1];
  if (health) return tellHealth(response, health === "livez" || (await needs.isReady()));
  const user = await needs.authenticator.authenticate(request);
  await route(needs.routes, new Exchange(request, response, user));
}

function tellHealth(response: ServerResponse, isHealthy: boolean): void {
  response.writeHead(isHealthy ? 200 : 500, { "content-type": "text/plain; charset=utf-8" });
  response.end(isHealthy ? "ok" : "the store does not answer");
}

function refuse(needs: ListenerNeeds, response: ServerResponse, error: unknown): void {
  const refusal =
    error instanceof ApiError ? error : internalError(error instanceof Error ? error.message : String(error));
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
