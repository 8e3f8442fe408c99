import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { createServer as createTlsServer, request as requestHttps } from "node:https";
import type { AddressInfo } from "node:net";
import type { Faults, ScriptedAnswer } from "./contract/store-harness.ts";
import { ArmedFaults, passBody } from "./faulty-body.ts";

export interface FaultProxy extends Faults {
  /** Where to send what is meant for the server. */
  readonly url: string;
  readonly port: number;
  /** How many requests met a cut or a stall since the last clear. */
  met(): number;
  /** From now on called with each request that the server has answered, before the client gets the answer. */
  beforeAnswers(look: (request: string) => Promise<unknown>): void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** The server's address, such as "http://127.0.0.1:7070"; its certificate is not checked. */
  readonly upstream: string;
  /** For a server that speaks TLS: the certificate that the proxy shows in its place. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

interface Armed {
  readonly answers: { readonly answer: ScriptedAnswer; times: number; readonly only: RegExp | undefined }[];
  readonly requests: ArmedFaults;
  readonly responses: ArmedFaults;
  beforeAnswer(request: string): Promise<unknown>;
}

/** A proxy before the server of an object store, which passes everything on unchanged by default. */
export async function startFaultProxy({ upstream, tls }: FaultProxyOptions): Promise<FaultProxy> {
  const armed: Armed = {
    answers: [],
    requests: new ArmedFaults(),
    responses: new ArmedFaults(),
    beforeAnswer: async () => undefined,
  };
  const requests: string[] = [];
  const handle = (question: IncomingMessage, answer: ServerResponse) => {
    const asked = `${question.method} ${question.url}`;
    requests.push(asked);
    const scripted = armed.answers.find(({ times, only }) => times > 0 && (only?.test(asked) ?? true));
    if (!scripted) return forward(question, answer, new URL(upstream), armed);
    scripted.times -= 1;
    answerScripted(question, answer, scripted.answer);
  };
  const server = (tls ? createTlsServer(tls, handle) : createServer(handle)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    requests,
    met: () => armed.requests.met + armed.responses.met,
    beforeAnswers(look) {
      armed.beforeAnswer = look;
    },
    answer: ({ times, only, ...answer }) => void armed.answers.push({ answer, times, only }),
    cutRequests: (fault) => armed.requests.add({ ...fault, kind: "cut" }),
    cutResponses: (fault) => armed.responses.add({ ...fault, kind: "cut" }),
    stallRequests: (fault) => armed.requests.add({ ...fault, kind: "stall" }),
    stallResponses: (fault) => armed.responses.add({ ...fault, kind: "stall" }),
    slow(bytesPerSecond) {
      armed.requests.bytesPerSecond = armed.responses.bytesPerSecond = bytesPerSecond;
    },
    clear() {
      armed.answers.length = requests.length = 0;
      armed.requests.clear();
      armed.responses.clear();
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

function answerScripted(question: IncomingMessage, answer: ServerResponse, { status, headers, body }: ScriptedAnswer) {
  // The body is read first: to hang up on a client that still sends would hide the answer from it.
  question.resume().once("end", () => {
    answer.writeHead(status, { ...headers });
    answer.end(body);
  });
}

function forward(question: IncomingMessage, answer: ServerResponse, upstream: URL, armed: Armed): void {
  const asked = `${question.method} ${question.url}`;
  const onward = (upstream.protocol === "https:" ? requestHttps : requestHttp)({
    host: upstream.hostname,
    port: upstream.port,
    method: question.method ?? "GET",
    path: question.url ?? "/",
    // As they are, Host included, for clients sign them.
    headers: question.rawHeaders as unknown as Record<string, string>,
    agent: false,
    rejectUnauthorized: false,
  });
  // Taken now: a body that is left half-way forgets its socket.
  const { socket } = question;
  const hangUp = () => {
    onward.destroy();
    socket.destroy();
  };
  onward.on("error", () => answer.headersSent || hangUp());
  onward.on("response", async (reply) => {
    await armed.beforeAnswer(asked);
    const atOnce = armed.responses.take(asked, (afterBytes) => afterBytes === 0);
    if (atOnce === "cut") return hangUp();
    if (atOnce === "stall") return;
    answer.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
    answer.flushHeaders();
    // What was passed still reaches the client, as it does when a connection breaks further away.
    passBody(asked, reply, answer, armed.responses).catch(() => answer.socket?.destroySoon());
  });
  answer.on("close", () => onward.destroy());
  onward.flushHeaders();
  passBody(asked, question, onward, armed.requests).catch(() => answer.headersSent || hangUp());
}
