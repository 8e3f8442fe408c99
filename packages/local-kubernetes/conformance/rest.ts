import type { IncomingMessage } from "node:http";
import { Agent, request as send } from "node:https";
import { text } from "node:stream/consumers";
import type { Answer, Rest, RestOptions, WatchEvent } from "./target.ts";

export interface Connection {
  readonly server: string;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly token?: string;
}

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

const timeoutMs = 30_000;

/** A client of one server, over TLS and with connections kept open. */
export function restOver(connection: Connection): Rest {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return async <Body>(method: string, path: string, body?: unknown, options: RestOptions = {}) => {
    const contentType =
      options.contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": contentType }),
      ...options.headers,
    };
    const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const answer = await exchange(connection, agent, {
      method,
      path,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    return parsed<Body>(answer, await text(answer));
  };
}

/** The events of a watch; ends quietly when the server ends the stream or `signal` aborts it. */
export async function* watchOver(
  connection: Connection,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  const agent = new Agent();
  try {
    const answer = await exchange(connection, agent, { method: "GET", path, signal });
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${await text(answer)}`);
    for await (const line of linesOf(answer)) yield JSON.parse(line) as WatchEvent;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    agent.destroy();
  }
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string, void> {
  let rest = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
}

function exchange(connection: Connection, agent: Agent, outgoing: Outgoing): Promise<IncomingMessage> {
  const { server, token, ...tls } = connection;
  const { method, path, headers = {}, body, signal } = outgoing;
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  // Node sends the body of a DELETE without saying how long it is, and the server then takes it for another request.
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(new URL(`${server}${path}`), {
      agent,
      method,
      headers: { ...authorization, ...length, ...headers },
      timeout: timeoutMs,
      ...tls,
      ...(signal && { signal }),
    });
    request.once("response", resolve);
    // Not once: a socket may fail again after the request has, and has no other listener.
    request.on("error", reject);
    request.once("timeout", () => request.destroy(new Error(`${method} ${path}: no answer in ${timeoutMs} ms`)));
    request.end(body);
  });
}

function parsed<Body>(answer: IncomingMessage, text: string): Answer<Body> {
  const json: unknown = /^\s*[{[]/.test(text) ? jsonOf(text) : undefined;
  // The caller names the shape it expects; a case that is wrong about it fails on what it reads.
  return { code: answer.statusCode ?? 0, body: json as Body, text, headers: answer.headers };
}

/** Undefined for what is no single value, such as the lines of a watch. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
