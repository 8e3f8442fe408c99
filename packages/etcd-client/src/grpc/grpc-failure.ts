/** The gRPC status codes this client tells apart (numbers are gRPC's). */
export const GrpcStatus = {
  canceled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

/** Why a call failed, in gRPC's terms. It stays inside `packages/etcd-client/src`: callers see an `EtcdError`. */
export class GrpcFailure extends Error {
  override readonly name = "GrpcFailure";
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** The failure of a call whose connection broke; what broke it is at the bottom of Node's chain of causes. */
export function connectionLost(error: unknown): GrpcFailure {
  if (error instanceof GrpcFailure) return error;
  const root = rootCause(error);
  if (root instanceof GrpcFailure) return root;
  const message = root instanceof Error ? root.message || root.name : String(root);
  return new GrpcFailure(GrpcStatus.unavailable, message, root);
}

/** The failure of a call that its caller gave up. */
export function canceledBy(signal: AbortSignal): GrpcFailure {
  return new GrpcFailure(GrpcStatus.canceled, "canceled by the caller", signal.reason);
}

function rootCause(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  // Happy-eyeballs dialling wraps one error per address tried; the first one says enough.
  return root instanceof AggregateError && root.errors.length > 0 ? root.errors[0] : root;
}
