export type NetworkErrorCode = "not-permitted" | "missing-tool" | "address-in-use" | "command-failed" | "no-such-pod";

/** A failure to set up or change the network of local mode; the message says what to do about it. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  readonly code: NetworkErrorCode;
  readonly operation: string;

  constructor(code: NetworkErrorCode, operation: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.operation = operation;
  }
}
