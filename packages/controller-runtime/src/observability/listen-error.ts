/** "address-unavailable": no such address on this machine, or no right to the port. */
export type ListenErrorCode = "address-invalid" | "address-in-use" | "address-unavailable";

/** Why the health endpoints cannot be served. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code: ListenErrorCode;
  readonly operation: string;

  constructor(code: ListenErrorCode, facts: { operation: string; message: string; cause?: unknown }) {
    super(`${facts.operation} failed: ${facts.message}`, { cause: facts.cause });
    this.code = code;
    this.operation = facts.operation;
  }
}
