import { AnswerTooLarge } from "../bounded-body.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "../object-store-error.ts";
import type { Redact } from "../redacted.ts";
import { codeOfSystemError } from "../system-error-code.ts";

const BY_NAME: Readonly<Record<string, ObjectStoreErrorCode>> = {
  NoSuchKey: "not-found",
  NotFound: "not-found",
  NoSuchBucket: "no-such-bucket",
  AccessDenied: "access-denied",
  AccessDeniedException: "access-denied",
  AllAccessDisabled: "access-denied",
  AccountProblem: "access-denied",
  CredentialsProviderError: "bad-credentials",
  ExpiredToken: "bad-credentials",
  ExpiredTokenException: "bad-credentials",
  InvalidAccessKeyId: "bad-credentials",
  InvalidClientTokenId: "bad-credentials",
  InvalidSecurity: "bad-credentials",
  InvalidToken: "bad-credentials",
  SignatureDoesNotMatch: "bad-credentials",
  TokenRefreshRequired: "bad-credentials",
  InsufficientCapacity: "full",
  QuotaExceeded: "full",
  StorageFull: "full",
  XMinioStorageFull: "full",
  BadDigest: "corrupt",
  PreconditionFailed: "corrupt",
  XAmzContentChecksumMismatch: "corrupt",
  XAmzContentSHA256Mismatch: "corrupt",
  InternalError: "unavailable",
  OperationAborted: "unavailable",
  RequestTimeout: "unavailable",
  // The SDK has learnt the server's time from the answer, and signs with that from then on.
  RequestTimeTooSkewed: "unavailable",
  ServiceUnavailable: "unavailable",
  SlowDown: "unavailable",
  Throttling: "unavailable",
  TimeoutError: "unavailable",
};

const ADVICE: Readonly<Record<ObjectStoreErrorCode, string>> = {
  "not-found": "there is no such object",
  "no-such-bucket": "there is no such bucket: create it, or correct its name",
  "access-denied": "permission denied: check what the keys in the Secret, or the role, are allowed to do",
  "bad-credentials": "the server does not accept the credentials: correct or renew the keys in the Secret, or the role",
  full: "no space is left, or a quota is used up: delete objects, or raise the quota",
  unavailable: "the server did not answer, or is busy; try again later",
  "too-slow": "the server is too slow: check the server and the network",
  corrupt: "the answer does not match the request, or the object was replaced meanwhile",
  aborted: "called off",
  invalid: "the server does not support this request: check endpoint, region and bucket",
  unknown: "failed",
};

const NO_CREDENTIALS = "there are no credentials: name a Secret with 'credentials', or give the operator's pod a role";

interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/**
 * What an error of the SDK means. Its own object is left behind: it holds the request, and that holds who asked. What
 * the server says goes through `redact`, for it may quote either.
 */
export function s3Failure(operation: string, error: unknown, redact: Redact): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error;
  if (error instanceof AnswerTooLarge) return new ObjectStoreError("corrupt", { operation, message: error.message });
  const { name = "", message = "" } = (error ?? {}) as SdkError;
  const code = codeOf((error ?? {}) as SdkError);
  const status = s3ErrorStatus(error);
  const said = [status === undefined ? "" : `${status}`, name, message === name ? "" : message].filter(Boolean);
  const advice = name === "CredentialsProviderError" ? NO_CREDENTIALS : ADVICE[code];
  return new ObjectStoreError(code, { operation, message: `${advice} (${redact(said.join(" "))})` });
}

/** What the server answered with, if it did. */
export function s3ErrorStatus(error: unknown): number | undefined {
  return ((error ?? {}) as SdkError).$metadata?.httpStatusCode;
}

export function isNoSuchUpload(error: unknown): boolean {
  const { name, Code } = (error ?? {}) as SdkError;
  return name === "NoSuchUpload" || Code === "NoSuchUpload";
}

function codeOf(error: SdkError): ObjectStoreErrorCode {
  const byName = BY_NAME[error.Code ?? ""] ?? BY_NAME[error.name ?? ""];
  if (byName) return byName;
  const status = error.$metadata?.httpStatusCode;
  return (status === undefined ? undefined : codeOfStatus(status)) ?? codeOfSystemError(error.code);
}

function codeOfStatus(status: number): ObjectStoreErrorCode | undefined {
  if (status === 401 || status === 403) return "access-denied";
  if (status === 404) return "not-found";
  if (status === 412) return "corrupt";
  if (status === 507) return "full";
  if (status === 429 || status === 408 || status >= 500) return "unavailable";
  // With 200 the answer could not be read: it was cut off, or is not from an S3 server.
  return status >= 300 ? "invalid" : "unavailable";
}
