import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { LocalModeUnderTest } from "../../local/local-mode.ts";

export interface ApiProxyOptions {
  /** Distinguishes it from others of the same local mode. */
  readonly name: string;
  onQuestion(question: IncomingMessage): void;
  /** The API server has done what it was asked to, and the client does not know yet. */
  beforeAnswer?(question: IncomingMessage, body: string): Promise<void>;
}

export interface ApiProxy {
  /** Leads to the API server by way of the proxy. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

interface Onward {
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: IncomingMessage["headers"];
  readonly beforeAnswer: (body: string) => Promise<void>;
}

/** Stands between one client and the API server. */
export async function startApiProxy(local: LocalModeUnderTest, options: ApiProxyOptions): Promise<ApiProxy> {
  const { config, stateDir } = local;
  const [ca, token] = await Promise.all([readFile(config.pki.caFile), readFile(config.pki.tokenFile, "utf8")]);
  const agent = new Agent({ ca, keepAlive: true });
  const server = createServer((question, answer) => {
    options.onQuestion(question);
    const headers = { ...question.headers, host: new URL(config.server).host, authorization: `Bearer ${token.trim()}` };
    const beforeAnswer = async (body: string) => options.beforeAnswer?.(question, body);
    forward(question, answer, { url: new URL(question.url ?? "/", config.server), agent, headers, beforeAnswer });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const kubeconfig = join(stateDir, `${options.name}-kubeconfig`);
  await writeFile(kubeconfig, kubeconfigFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  return {
    kubeconfig,
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
      agent.destroy();
    },
  };
}

function forward(question: IncomingMessage, answer: ServerResponse, onward: Onward): void {
  const { url, agent, headers, beforeAnswer } = onward;
  const body: Buffer[] = [];
  question.on("data", (chunk: Buffer) => body.push(chunk));
  const passedOn = request(url, { method: question.method ?? "GET", agent, headers }, (upstream) => {
    const pass = () => {
      answer.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.on("error", () => answer.destroy()).pipe(answer);
      answer.flushHeaders();
    };
    beforeAnswer(Buffer.concat(body).toString()).then(pass, () => answer.destroy());
  });
  passedOn.on("error", () => answer.destroy());
  answer.on("close", () => passedOn.destroy());
  question.pipe(passedOn);
}

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "proxied",
    clusters: [{ name: "proxied", cluster: { server } }],
    users: [{ name: "proxied", user: {} }],
    contexts: [{ name: "proxied", context: { cluster: "proxied", user: "proxied" } }],
  });
}
