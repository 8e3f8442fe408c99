import { AnswerTooLarge } from "./bounded-text.ts";
import { KubernetesError, type KubernetesErrorCode, type StatusCause } from "./kubernetes-error.ts";

/** A Status of the API server, as far as we read it. */
interface Status {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly retryAfterSeconds?: number; readonly causes?: readonly StatusCause[] };
}

/** The error for an answer that is no 2xx. */
export function errorOfAnswer(
  operation: string,
  httpStatus: number,
  text: string,
  retryAfter?: string,
): KubernetesError {
  const status = statusIn(text);
  const seconds = retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  return errorOfStatus(
    operation,
    { message: text.slice(0, 500) || `HTTP ${httpStatus}`, ...status, code: httpStatus },
    seconds,
  );
}

/** A few defects of a spec fit in; what says more than that says it to no reader. */
const MOST_MESSAGE_CHARACTERS = 1_800;

/** The error for a Status, which a watch delivers inside a 200. */
export function errorOfStatus(operation: string, status: Status, retryAfterSeconds?: number): KubernetesError {
  const seconds = retryAfterSeconds ?? status.details?.retryAfterSeconds;
  return new KubernetesError(codeOf(status.code ?? 0, status.reason), {
    operation,
    message: cut(status.message ?? status.reason ?? "the API server gave no reason"),
    status: status.code,
    reason: status.reason,
    retryAfterMs: seconds === undefined ? undefined : seconds * 1000,
    causes: status.details?.causes,
  });
}

/** The error for a request that got no answer. */
export function errorOfFailure(
  operation: string,
  cause: unknown,
  why: "failed" | "canceled" | "timeout",
): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  if (cause instanceof AnswerTooLarge) {
    return new KubernetesError("too-large", { operation, message: cause.message, cause });
  }
  if (why === "canceled") return new KubernetesError("canceled", { operation, message: "it was canceled", cause });
  if (why === "timeout") return new KubernetesError("timeout", { operation, message: "no answer in time", cause });
  return new KubernetesError("unavailable", { operation, message: messageOfTransport(cause), cause });
}

const CODE_OF_STATUS: Readonly<Record<number, KubernetesErrorCode>> = {
  400: "invalid",
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  410: "gone",
  413: "invalid",
  422: "invalid",
  429: "too-many-requests",
  504: "timeout",
};

function codeOf(status: number, reason: string | undefined): KubernetesErrorCode {
  if (reason === "AlreadyExists") return "already-exists";
  if (reason === "Expired" || reason === "Gone") return "gone";
  if (reason === "Timeout" || reason === "ServerTimeout") return "timeout";
  return CODE_OF_STATUS[status] ?? (status >= 500 ? "unavailable" : "unknown");
}

function statusIn(text: string): Status | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isStatus = typeof body === "object" && body !== null && "kind" in body && body.kind === "Status";
    return isStatus ? (body as Status) : undefined;
  } catch {
    // A proxy on the way may answer in any format.
    return undefined;
  }
}

function messageOfTransport(cause: unknown): string {
  // Node puts the attempts on several addresses into an AggregateError without a message.
  if (cause instanceof AggregateError) return cause.errors.map(messageOfTransport).join("; ");
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function cut(message: string): string {
  return message.length > MOST_MESSAGE_CHARACTERS ? `${message.slice(0, MOST_MESSAGE_CHARACTERS)}…` : message;
}
