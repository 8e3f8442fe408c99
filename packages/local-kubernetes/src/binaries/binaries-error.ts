export type BinariesErrorCode =
  | "invalid-version"
  | "unobtainable"
  | "missing-tool"
  | "moved-on"
  | "command-failed"
  | "wrong-binary"
  | "not-prepared"
  | "aborted";

/** Everything that can go wrong between asking for an etcd version and having its binaries. */
export class BinariesError extends Error {
  override readonly name = "BinariesError";

  readonly code: BinariesErrorCode;
  readonly operation: string;

  constructor(code: BinariesErrorCode, operation: string, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.code = code;
    this.operation = operation;
  }
}
