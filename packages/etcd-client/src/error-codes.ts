import { EtcdError, type EtcdErrorCode } from "./etcd-error.ts";
import { GrpcFailure, GrpcStatus } from "./grpc/grpc-failure.ts";

/** Makes an `EtcdError` of whatever a call threw: the one place where `unknown` is looked at. */
export function toEtcdError(error: unknown, operation: string, endpoint: string): EtcdError {
  if (error instanceof EtcdError) return error;
  if (error instanceof GrpcFailure) {
    return new EtcdError(codeOf(error), { operation, endpoint, reason: error.message, cause: error.cause ?? error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new EtcdError("unknown", { operation, endpoint, reason, cause: error });
}

/** The code for one of etcd's own error texts, which older and newer servers wrap in different prefixes. */
export function codeOfText(text: string): EtcdErrorCode | undefined {
  return TEXTS.find(([part]) => text.includes(part))?.[1];
}

function codeOf(failure: GrpcFailure): EtcdErrorCode {
  return codeOfText(failure.message) ?? (isTlsError(failure.cause) ? "tls" : undefined) ?? codeOfStatus(failure.status);
}

// etcd gives unlike failures the same gRPC status ("unhealthy cluster", "no leader" and "request timed out" are all
// Unavailable), so its texts, which are part of its API, come first. Where one contains another, the longer one leads.
const TEXTS: readonly (readonly [string, EtcdErrorCode])[] = [
  ["required revision has been compacted", "compacted"],
  ["required revision is a future revision", "future-revision"],
  ["database space exceeded", "no-space"],
  ["which is in sync with leader", "learner-not-ready"],
  ["can only promote a learner member", "member-not-learner"],
  ["too many learner members", "too-many-learners"],
  ["rpc not supported for learner", "not-for-learners"],
  ["unhealthy cluster", "unhealthy-cluster"],
  ["not enough started members", "unhealthy-cluster"],
  ["etcdserver: no leader", "no-leader"],
  ["etcdserver: not leader", "not-leader"],
  ["etcdserver: request timed out", "deadline"],
  ["etcdserver: request is too large", "too-large"],
  ["message larger than max", "too-large"],
  ["its answer is larger than the limit", "too-large"],
  ["etcdserver: too many requests", "overloaded"],
  ["corrupt cluster", "corrupt"],
  ["lease already exists", "already-exists"],
  ["member ID already exist", "already-exists"],
  ["Peer URLs already exists", "already-exists"],
  ["requested lease not found", "not-found"],
  ["member not found", "not-found"],
  ["user name is empty", "auth"],
  ["authentication failed", "auth"],
  ["auth store is old", "auth"],
];

function codeOfStatus(status: number): EtcdErrorCode {
  switch (status) {
    case GrpcStatus.canceled:
      return "canceled";
    case GrpcStatus.invalidArgument:
      return "invalid";
    case GrpcStatus.deadlineExceeded:
      return "deadline";
    case GrpcStatus.notFound:
      return "not-found";
    case GrpcStatus.alreadyExists:
      return "already-exists";
    case GrpcStatus.permissionDenied:
    case GrpcStatus.unauthenticated:
      return "auth";
    case GrpcStatus.resourceExhausted:
      return "overloaded";
    case GrpcStatus.failedPrecondition:
    case GrpcStatus.aborted:
    case GrpcStatus.outOfRange:
      return "refused";
    case GrpcStatus.unimplemented:
      return "unsupported";
    case GrpcStatus.unavailable:
      return "unavailable";
    case GrpcStatus.dataLoss:
      return "corrupt";
    default:
      return "unknown";
  }
}

// OpenSSL's verdicts on a certificate have codes of their own; Node prefixes the rest.
const TLS_ERROR = /^ERR_(TLS|SSL)_|CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_CA/;

function isTlsError(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" && TLS_ERROR.test(cause.code);
}
