export type ObjectStoreErrorCode =
  /** There is no such object. */
  | "not-found"
  /** There is no such bucket, container or volume; create it, or correct its name. */
  | "no-such-bucket"
  /** The store does not let us do it; where it does not say more, it may also not accept who we say we are. */
  | "access-denied"
  /** What the Secret holds cannot be used at all, or the store does not accept it: it is wrong, or has expired. */
  | "bad-credentials"
  /** No room is left, or a quota is used up. */
  | "full"
  /** It did not answer, or said that it cannot now; the same call may succeed later. */
  | "unavailable"
  /** It moved fewer bytes than the least rate, and was ended so that others get their turn. */
  | "too-slow"
  /** What came back is not what was asked for, or was put there. */
  | "corrupt"
  /** Called off by the caller. */
  | "aborted"
  | "invalid"
  | "unknown";

export interface ObjectStoreErrorDetails {
  /** As in "put s3 'bucket/key'". */
  readonly operation: string;
  /** What happened and what to do; never a credential. */
  readonly message: string;
  readonly cause?: unknown;
}

const TRANSIENT: readonly ObjectStoreErrorCode[] = ["unavailable", "too-slow", "unknown", "corrupt"];

/** Every failure of an object store, whichever it is. */
export class ObjectStoreError extends Error {
  override readonly name = "ObjectStoreError";
  readonly code: ObjectStoreErrorCode;
  readonly operation: string;

  constructor(code: ObjectStoreErrorCode, { operation, message, cause }: ObjectStoreErrorDetails) {
    super(`${operation}: ${message}`, { cause });
    this.code = code;
    this.operation = operation;
  }

  /** Whether the same call may succeed without anybody's help. */
  get isTransient(): boolean {
    return TRANSIENT.includes(this.code);
  }
}
