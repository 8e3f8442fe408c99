/** What went wrong, in terms a caller can act on. */
export type KubernetesErrorCode =
  | "not-found"
  | "already-exists"
  | "conflict" // the object changed since it was read, or a precondition does not hold
  | "invalid"
  | "forbidden" // also: the namespace is going away, a quota is used up (see `causes`)
  | "unauthorized"
  | "gone" // the resourceVersion or continue token is too old: list again
  | "too-many-requests" // also: a disruption budget forbids the eviction
  | "timeout" // no answer in time: a write may or may not have been applied
  | "unavailable" // not reached, broken off or failing: a write may or may not have been applied
  | "canceled"
  | "too-large" // more than is read of an answer
  | "unknown";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface KubernetesErrorFacts {
  readonly operation: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  readonly cause?: unknown;
}

/** The only error that leaves `packages/kubernetes-client/src/requests`. */
export class KubernetesError extends Error {
  override readonly name = "KubernetesError";
  readonly code: KubernetesErrorCode;
  /** Such as "GET /api/v1/namespaces/default/pods/a". */
  readonly operation: string;
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The API server's own word, such as "AlreadyExists". */
  readonly reason: string | undefined;
  /** How long the API server asks to be left alone. */
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly StatusCause[];

  constructor(code: KubernetesErrorCode, facts: KubernetesErrorFacts) {
    super(`${facts.operation} failed: ${facts.message}`, { cause: facts.cause });
    this.code = code;
    this.operation = facts.operation;
    this.status = facts.status;
    this.reason = facts.reason;
    this.retryAfterMs = facts.retryAfterMs;
    this.causes = facts.causes ?? [];
  }
}

/** Whether something is a KubernetesError with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly KubernetesErrorCode[]): error is KubernetesError {
  return error instanceof KubernetesError && codes.includes(error.code);
}

/** Nothing can be made there any more, and nothing needs to be: all of it goes. */
export function isAboutGoingNamespace(error: unknown): boolean {
  return hasCode(error, "forbidden") && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
