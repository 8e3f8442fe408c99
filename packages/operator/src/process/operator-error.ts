export type OperatorErrorCode =
  | "flag-invalid"
  | "crd-forbidden"
  | "crd-refused" // the API server finds a CRD of ours wrong, beside what it stores
  | "lease-lost"
  | "stuck"; // something did not wind up in time

/** Why the program cannot go on. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly code: OperatorErrorCode;
  readonly operation: string;

  constructor(code: OperatorErrorCode, facts: { operation: string; message: string; cause?: unknown }) {
    super(`${facts.operation} failed: ${facts.message}`, { cause: facts.cause });
    this.code = code;
    this.operation = facts.operation;
  }
}
