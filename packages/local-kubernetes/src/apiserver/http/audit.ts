import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** A request that was to change something, and its answer. */
export interface AuditLine {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
  readonly statusCode: number;
  /** What was answered, mostly the object as it is stored from then on. */
  readonly answer: string;
}

/** Tells of every request but questions when it is answered, as the audit log of a kube-apiserver does. */
export function audited(listener: RequestListener, tell: (line: AuditLine) => void): RequestListener {
  return (request, response) => {
    if (request.method !== "GET") onceAnswered(response, (answer) => tell(lineOf(request, response, answer)));
    listener(request, response);
  };
}

function lineOf({ method = "", url = "", headers }: IncomingMessage, { statusCode }: ServerResponse, answer: string) {
  return { atMs: Date.now(), method, path: url, userAgent: headers["user-agent"] ?? "", statusCode, answer };
}

function onceAnswered(response: ServerResponse, hear: (answer: string) => void): void {
  const end = response.end;
  response.end = function ended(...given: Parameters<typeof end>) {
    const [answer] = given as readonly unknown[];
    hear(answer instanceof Uint8Array || typeof answer === "string" ? Buffer.from(answer).toString() : "");
    return end.apply(response, given);
  } as typeof end;
}
