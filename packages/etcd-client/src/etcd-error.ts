/** What went wrong, in terms a caller can act on. */
export type EtcdErrorCode =
  | "unavailable" // not reached, or the connection broke: a write may or may not have been applied
  | "deadline" // no answer in time: a write may or may not have been applied
  | "canceled"
  | "tls" // one side does not accept the other's certificate
  | "wrong-cluster" // the member at this address belongs to another cluster
  | "not-found"
  | "already-exists"
  | "invalid"
  | "refused" // a precondition that has no code of its own
  | "too-large"
  | "unhealthy-cluster" // a membership change would risk quorum, or members have not been connected for 5 s yet
  | "no-leader"
  | "not-leader"
  | "overloaded"
  | "no-space"
  | "corrupt"
  | "compacted"
  | "future-revision"
  | "member-not-learner"
  | "learner-not-ready"
  | "too-many-learners"
  | "not-for-learners" // asked a learner for what only voters do
  | "auth"
  | "unsupported" // this version of etcd has no such call
  | "unknown";

/** The only error that leaves `packages/etcd-client/src`. */
export class EtcdError extends Error {
  override readonly name = "EtcdError";
  readonly code: EtcdErrorCode;
  readonly operation: string;
  readonly endpoint: string;
  /** With "compacted" on a watch: the first revision that can still be watched. */
  readonly compactRevision: bigint | undefined;

  constructor(code: EtcdErrorCode, facts: EtcdErrorFacts) {
    super(`${facts.operation} on etcd ${facts.endpoint} failed: ${facts.reason}`, { cause: facts.cause });
    this.code = code;
    this.operation = facts.operation;
    this.endpoint = facts.endpoint;
    this.compactRevision = facts.compactRevision;
  }
}

export interface EtcdErrorFacts {
  readonly operation: string;
  readonly endpoint: string;
  readonly reason: string;
  readonly cause?: unknown;
  readonly compactRevision?: bigint;
}
