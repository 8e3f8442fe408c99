export type SnapshotErrorCode =
  /** There is no member to take a snapshot from. */
  | "no-member"
  /** Its members have found their own data corrupt. */
  | "corrupt-source"
  /** There is no such EtcdCluster. */
  | "no-cluster"
  /** The Secret with the certificate is missing, or holds none that can be used. */
  | "bad-certificate"
  /** The operator may not ask there for this namespace. */
  | "not-allowed"
  /** What the member sent does not end in its hash, or is no database. */
  | "damaged"
  /** What lies in the store is not what was sent there. */
  | "not-as-sent"
  /** The member stopped sending. */
  | "stalled"
  /** It took longer than it may. */
  | "timeout";

const NEEDS_FIX: readonly SnapshotErrorCode[] = ["corrupt-source", "no-cluster", "bad-certificate", "not-allowed"];

/** Why there is no verified snapshot, beyond the errors of etcd, Kubernetes and the store. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
  readonly code: SnapshotErrorCode;
  /** Whether a retry may succeed without a fix. */
  readonly isTransient: boolean;

  constructor(code: SnapshotErrorCode, message: string, options: { cause?: unknown; isTransient?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.isTransient = options.isTransient ?? !NEEDS_FIX.includes(code);
  }
}
