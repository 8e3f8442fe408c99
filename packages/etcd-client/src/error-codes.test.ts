import { describe, expect, test } from "vitest";
import { toEtcdError } from "./error-codes.ts";
import { EtcdError } from "./etcd-error.ts";
import { GrpcFailure, GrpcStatus } from "./grpc/grpc-failure.ts";

// What etcd 3.3 to 3.7 say, with the status they say it under.
const answers = [
  [GrpcStatus.unavailable, "etcdserver: unhealthy cluster", "unhealthy-cluster"],
  [GrpcStatus.unavailable, "etcdserver: no leader", "no-leader"],
  [GrpcStatus.unavailable, "etcdserver: request timed out", "deadline"],
  [GrpcStatus.unavailable, "etcdserver: request timed out, possibly due to previous leader failure", "deadline"],
  [GrpcStatus.unavailable, "etcdserver: server stopped", "unavailable"],
  [GrpcStatus.outOfRange, "etcdserver: mvcc: required revision has been compacted", "compacted"],
  [GrpcStatus.outOfRange, "etcdserver: mvcc: required revision is a future revision", "future-revision"],
  [GrpcStatus.resourceExhausted, "etcdserver: mvcc: database space exceeded", "no-space"],
  [GrpcStatus.resourceExhausted, "etcdserver: too many requests", "overloaded"],
  [GrpcStatus.failedPrecondition, "etcdserver: can only promote a learner member", "member-not-learner"],
  [
    GrpcStatus.failedPrecondition,
    "etcdserver: can only promote a learner member which is in sync with leader",
    "learner-not-ready",
  ],
  [GrpcStatus.failedPrecondition, "etcdserver: too many learner members in cluster", "too-many-learners"],
  [GrpcStatus.failedPrecondition, "etcdserver: Peer URLs already exists", "already-exists"],
  [GrpcStatus.failedPrecondition, "etcdserver: not leader", "not-leader"],
  [GrpcStatus.failedPrecondition, "etcdserver: some new rule", "refused"],
  [GrpcStatus.unavailable, "etcdserver: rpc not supported for learner", "not-for-learners"],
  [GrpcStatus.notFound, "etcdserver: member not found", "not-found"],
  [GrpcStatus.invalidArgument, "etcdserver: user name is empty", "auth"],
  [GrpcStatus.invalidArgument, "etcdserver: request is too large", "too-large"],
  [GrpcStatus.invalidArgument, "etcdserver: duplicate key given in txn request", "invalid"],
  [GrpcStatus.permissionDenied, "etcdserver: permission denied", "auth"],
  [GrpcStatus.unauthenticated, "etcdserver: invalid auth token", "auth"],
  [GrpcStatus.unimplemented, "unknown service etcdserverpb.X", "unsupported"],
  [GrpcStatus.dataLoss, "etcdserver: corrupt cluster", "corrupt"],
  [GrpcStatus.internal, "stack", "unknown"],
] as const;

describe("toEtcdError", () => {
  test.each(answers)("status %i with '%s' means %s", (status, text, code) => {
    expect(toEtcdError(new GrpcFailure(status, text), "put", "10.0.0.1:2379").code).toBe(code);
  });

  test("names the operation and the endpoint, and keeps the cause", () => {
    const cause = new Error("connect ECONNREFUSED 10.0.0.1:2379");
    const failure = new GrpcFailure(GrpcStatus.unavailable, cause.message, cause);
    const error = toEtcdError(failure, "addMember", "10.0.0.1:2379");
    expect(error).toMatchObject({ code: "unavailable", operation: "addMember", endpoint: "10.0.0.1:2379", cause });
    expect(error.message).toBe("addMember on etcd 10.0.0.1:2379 failed: connect ECONNREFUSED 10.0.0.1:2379");
  });

  test("tells a certificate that is not accepted from a server that is not there", () => {
    const cause = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(toEtcdError(new GrpcFailure(GrpcStatus.unavailable, cause.message, cause), "status", "x").code).toBe("tls");
  });

  test("passes an EtcdError on as it is", () => {
    const error = new EtcdError("compacted", { operation: "watch", endpoint: "x", reason: "r", compactRevision: 7n });
    expect(toEtcdError(error, "other", "y")).toBe(error);
  });

  test("calls what it does not know unknown", () => {
    expect(toEtcdError(new TypeError("oops"), "put", "x").code).toBe("unknown");
    expect(toEtcdError("oops", "put", "x").message).toBe("put on etcd x failed: oops");
  });
});
