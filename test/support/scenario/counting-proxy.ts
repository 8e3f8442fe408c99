import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { LocalModeUnderTest } from "../local/local-mode.ts";

export interface CountingProxy {
  /** Leads to the API server by way of the proxy. */
  readonly kubeconfig: string;
  /** What was asked since the last time, such as "GET /api/v1/pods?watch=true". */
  take(): readonly string[];
  close(): Promise<void>;
}

/** Stands between one client and the API server, and writes down what is asked. */
export async function countingProxy({ config, stateDir }: LocalModeUnderTest): Promise<CountingProxy> {
  const [ca, token] = await Promise.all([readFile(config.pki.caFile), readFile(config.pki.tokenFile, "utf8")]);
  const agent = new Agent({ ca, keepAlive: true });
  const asked: string[] = [];
  const server = createServer((question, answer) => {
    asked.push(`${question.method} ${question.url}`);
    const headers = { ...question.headers, host: new URL(config.server).host, authorization: `Bearer ${token.trim()}` };
    forward(question, answer, { url: new URL(question.url ?? "/", config.server), agent, headers });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const kubeconfig = join(stateDir, "counted-kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  return {
    kubeconfig,
    take: () => asked.splice(0),
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
      agent.destroy();
    },
  };
}

function forward(
  question: IncomingMessage,
  answer: ServerResponse,
  { url, agent, headers }: { url: URL; agent: Agent; headers: IncomingMessage["headers"] },
): void {
  const passedOn = request(url, { method: question.method ?? "GET", agent, headers }, (upstream) => {
    answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
    upstream.on("error", () => answer.destroy()).pipe(answer);
    answer.flushHeaders();
  });
  passedOn.on("error", () => answer.destroy());
  answer.on("close", () => passedOn.destroy());
  question.pipe(passedOn);
}

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "counted",
    clusters: [{ name: "counted", cluster: { server } }],
    users: [{ name: "counted", user: {} }],
    contexts: [{ name: "counted", context: { cluster: "counted", user: "counted" } }],
  });
}
