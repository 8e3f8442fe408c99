import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { fixedCredential } from "@etcd-operator/kubernetes-client";
import type { Connection } from "@etcd-operator/kubernetes-client/connect/connection.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly connection: Connection;
  readonly requests: ReceivedRequest[];
}

/** For tests: an API server that answers what the test says, however wrong. */
export async function scriptedServer(
  answer: (request: ReceivedRequest, response: ServerResponse) => void,
): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const url = new URL(incoming.url ?? "/", "http://server");
      const { method = "GET", headers } = incoming;
      const request = { method, path: url.pathname, query: url.searchParams, headers, body };
      requests.push(request);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connection: { server: `http://127.0.0.1:${port}`, credentials: fixedCredential() },
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** A Status of failure, as an API server writes it. */
export function failure(code: number, reason: string, details: Record<string, unknown> = {}): unknown {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `scripted ${reason}`, details };
}

export function listOf(resourceVersion: string, items: readonly KubeObject[], next?: string): unknown {
  return { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion, continue: next }, items };
}

/** A stored ConfigMap. */
export function configMap(
  name: string,
  resourceVersion: string,
  more: Partial<Stored["metadata"]> = {},
): Stored<ConfigMap> {
  const metadata = {
    namespace: "default",
    name,
    uid: `uid-of-${name}`,
    resourceVersion,
    creationTimestamp: "2030-01-01T00:00:00Z",
    ...more,
  };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}
