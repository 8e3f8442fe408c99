import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { buffer } from "node:stream/consumers";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { startRecordingProxy } from "./recording-proxy.ts";

export interface Sent {
  /** As in "POST https://sts.googleapis.com/v1/token", without the query. */
  readonly request: string;
  /** Everything that the request had in it: its line, headers and body. */
  readonly text: string;
}

export interface RecordedInternet {
  /** What the process under test has to have in its environment for everything to come here. */
  readonly environment: Readonly<Record<string, string>>;
  readonly sent: readonly Sent[];
  /** Hosts that connections of TLS were asked for, as in "sts.googleapis.com:443". */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export type AnswerTo = (request: string, response: ServerResponse) => void;

const DAY_MS = 86_400_000;

/**
 * For tests: the whole internet on loopback. Whatever host is asked for, by way of the proxy that the environment
 * names, is one server that writes down what it is sent.
 */
export async function startRecordedInternet(answerTo: AnswerTo): Promise<RecordedInternet> {
  const sent: Sent[] = [];
  const record = (scheme: string) => (incoming: IncomingMessage, response: ServerResponse) => {
    void buffer(incoming).then(
      (body) => {
        const { method, headers, url = "" } = incoming;
        const { host, pathname } = new URL(url, `${scheme}://${headers.host}`);
        const request = `${method} ${scheme}://${host}${pathname}`;
        sent.push({ request, text: `${method} ${url}\n${JSON.stringify(headers)}\n${body.toString("latin1")}` });
        answerTo(request, response);
      },
      () => undefined,
    );
  };
  const notBefore = new Date(Date.now() - DAY_MS);
  const { cert, key } = selfSignedCertificate({
    name: "internet.example",
    notBefore,
    notAfter: new Date(Date.now() + DAY_MS),
  });
  const secure = createServer({ cert, key }, record("https"));
  const plain = createPlainServer(record("http"));
  const ports = await Promise.all([secure, plain].map(listening));
  const proxy = await startRecordingProxy({ host: "127.0.0.1", port: ports[0] as number });
  const plainUrl = `http://127.0.0.1:${ports[1]}`;
  return {
    environment: {
      ...{ HTTPS_PROXY: proxy.url, https_proxy: proxy.url },
      ...{ HTTP_PROXY: plainUrl, http_proxy: plainUrl },
      ...{ NO_PROXY: "", no_proxy: "" },
      // Its certificate is of no authority, whatever host it is asked as.
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
    },
    sent,
    get asked() {
      return proxy.asked.map((line) => line.replace(/^CONNECT /, ""));
    },
    async close() {
      await proxy.close();
      for (const server of [secure, plain]) server.closeAllConnections();
      await Promise.all([secure, plain].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
