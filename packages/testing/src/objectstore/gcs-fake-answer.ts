import type { IncomingMessage, ServerResponse } from "node:http";

/** A request to the fake, taken apart. */
export interface GcsQuestion {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly incoming: IncomingMessage;
}

/** What the fake refuses, in the words and with the statuses of Google Cloud Storage. */
export class GcsRefusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export function invalid(message: string): GcsRefusal {
  return new GcsRefusal(400, "invalid", message);
}

export function sendJson(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  answer.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
  answer.end(JSON.stringify(body));
}

/** Errors come as JSON, but as plain text where the object's bytes were asked for. */
export function sendRefusal(answer: ServerResponse, question: GcsQuestion, error: unknown): void {
  const { status, reason, message } =
    error instanceof GcsRefusal ? error : new GcsRefusal(500, "backendError", `the fake failed: ${String(error)}`);
  if (answer.headersSent) return void answer.destroy();
  if (question.query.get("alt") === "media") {
    answer.writeHead(status, { "content-type": "text/html; charset=UTF-8" });
    return void answer.end(message);
  }
  sendJson(answer, status, { error: { code: status, message, errors: [{ message, domain: "global", reason }] } });
}

/** Google ignores what it does not know; the fake does not, so that a misspelt parameter is found. */
export function onlyParameters(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalid(`Unknown parameter: ${name}`);
  }
}
