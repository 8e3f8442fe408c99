import { X509Certificate } from "node:crypto";
import type { ClientRequest, IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request as startRequest } from "node:https";
import { AnswerTooLarge, refusalText, wholeText } from "../bounded-body.ts";
import { guardedCall } from "../guarded-call.ts";
import type { IdleGuard } from "../idle-guard.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "../object-store-error.ts";
import { sentBody } from "../sent-body.ts";
import type { StoreTuning } from "../store-settings.ts";
import type { WorkerEndpoint } from "./worker-endpoint.ts";
import { codeOfStatus } from "./worker-error.ts";

export interface WorkerCall {
  /** For messages, such as "put volume 'claim/key'". */
  readonly operation: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Asks one worker, and trusts no other server. */
export class WorkerClient {
  readonly tuning: StoreTuning;
  readonly #endpoint: WorkerEndpoint;
  readonly #agent: Agent;

  constructor(endpoint: WorkerEndpoint, tuning: StoreTuning) {
    this.tuning = tuning;
    this.#endpoint = endpoint;
    this.#agent = new Agent({ keepAlive: true, ...pinnedTo(endpoint.certificate) });
  }

  /** Asks until there is an answer, or it is no use; only for what may be asked twice. */
  async ask<Answer>(call: WorkerCall, signal: AbortSignal | undefined, tuning = this.tuning): Promise<Answer> {
    const { operation } = call;
    const failure = (error: unknown) => workerFailure(operation, error);
    return guardedCall({ operation, signal, tuning, failure }, async (guard) => {
      const response = await this.begin(call, { signal: guard.signal, guard });
      return contentOf<Answer>(operation, await wholeText(response));
    });
  }

  /** Asks once, and returns the beginning of a good answer. */
  async begin(
    call: WorkerCall,
    { signal, guard }: { signal: AbortSignal; guard?: IdleGuard },
  ): Promise<IncomingMessage> {
    const response = await sent(startRequest({ ...this.#optionsOf(call), signal }), call.body, guard);
    if (response.statusCode === 200) return response;
    throw refusal(call.operation, codeOfStatus(response.statusCode ?? 0), await refusalText(response));
  }

  close(): void {
    this.#agent.destroy();
  }

  #optionsOf({ method, path, query = {}, headers, body }: WorkerCall): RequestOptions {
    const { hostname, port } = new URL(`https://${this.#endpoint.address}`);
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    return {
      agent: this.#agent,
      host: hostname.replace(/^\[|\]$/g, ""),
      port: port || 443,
      method,
      path: `${path}?${search}`,
      headers: {
        authorization: `Bearer ${this.#endpoint.token}`,
        ...(body && { "content-length": body.length }),
        ...headers,
      },
    };
  }
}

/** Anything that went wrong on the way to a worker or back. */
export function workerFailure(operation: string, cause: unknown): ObjectStoreError {
  if (cause instanceof ObjectStoreError) return cause;
  if (cause instanceof AnswerTooLarge) return new ObjectStoreError("corrupt", { operation, message: cause.message });
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `the worker of the volume cannot be reached (${reason}); try again later`;
  return new ObjectStoreError("unavailable", { operation, message, cause });
}

/** The answer may come before all is sent. */
function sent(
  request: ClientRequest,
  body: Buffer | undefined,
  guard: IdleGuard | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    // Stays for good: an "error" without a listener ends the process.
    request.on("error", reject);
    if (body && guard) sentBody(body, guard).pipe(request);
    else request.end();
  });
}

/** This certificate, byte for byte, whatever name it carries: the address may belong to another server by now. */
function pinnedTo(certificate: string) {
  const { raw } = new X509Certificate(certificate);
  return {
    ca: certificate,
    checkServerIdentity: (_: string, { raw: shown }: { raw: Buffer }) =>
      shown.equals(raw) ? undefined : new Error("another server answers at its address"),
  };
}

interface Refusal {
  readonly code?: ObjectStoreErrorCode;
  readonly message?: string;
}

function contentOf<Answer>(operation: string, written: string): Answer {
  const content = parsed(written);
  if (content && content.code === undefined) return content as Answer;
  throw refusal(operation, "corrupt", written);
}

/** What the answer says itself counts more than its status. */
function refusal(operation: string, fallback: ObjectStoreErrorCode, written: string): ObjectStoreError {
  const { code = fallback, message } = parsed(written) ?? {};
  const otherwise = `the worker of the volume refused the request: ${written.trim().slice(0, 200)}`;
  return new ObjectStoreError(code, { operation, message: message ?? otherwise });
}

function parsed(written: string): Refusal | undefined {
  try {
    // The worker is a program of ours, and has proved it.
    return JSON.parse(written) as Refusal;
  } catch {
    return undefined;
  }
}
