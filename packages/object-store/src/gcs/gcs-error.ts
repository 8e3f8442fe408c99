import { AnswerTooLarge } from "../bounded-body.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "../object-store-error.ts";
import type { Redact } from "../redacted.ts";
import { codeOfSystemError } from "../system-error-code.ts";

/** Where a call went and as whom, for the message. */
export interface GcsPlace {
  /** As in "put gcs 'bucket/key'". */
  readonly operation: string;
  readonly bucket: string;
  /** Such as "the access token in the Secret". */
  readonly identity: string;
  /** For what is quoted of Google. */
  readonly redact: Redact;
}

/** An answer of Google's that is none of those expected. */
export class GcsRefusal extends Error {
  readonly status: number;
  /** Google's own word, such as "quotaExceeded"; empty where there is none. */
  readonly reason: string;

  constructor(status: number, text: string) {
    const { reason, message } = saidIn(text);
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** No token could be had. */
export class CredentialError extends Error {
  readonly code: ObjectStoreErrorCode;

  constructor(code: ObjectStoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function gcsError(error: unknown, place: GcsPlace): ObjectStoreError {
  const { operation } = place;
  if (error instanceof ObjectStoreError) return error;
  if (error instanceof AnswerTooLarge) return new ObjectStoreError("corrupt", { operation, message: error.message });
  if (error instanceof CredentialError) return new ObjectStoreError(error.code, { operation, message: error.message });
  if (!(error instanceof GcsRefusal)) {
    const code = codeOfUnanswered(error);
    // Not the error itself as the cause: the address of an upload may be in it, and that is as good as a key.
    return new ObjectStoreError(code, { operation, message: `${advice(code, place)} (${wordFor(error)})` });
  }
  const code = codeOf(error);
  const summary = place.redact(`${error.status} ${error.reason}`);
  const message =
    error.status === GONE ? "the upload has expired at Google: start it again" : advice(code, place, error);
  return new ObjectStoreError(code, { operation, message: `${message} (${summary})` });
}

/** Of an upload, not of an object. */
const GONE = 410;

const CODES: Readonly<Record<string, ObjectStoreErrorCode>> = {
  quotaExceeded: "full",
  storageQuotaExceeded: "full",
  rateLimitExceeded: "unavailable",
  userRateLimitExceeded: "unavailable",
  conditionNotMet: "corrupt",
};

function codeOf({ status, reason, message }: GcsRefusal): ObjectStoreErrorCode {
  const known = CODES[reason];
  if (known) return known;
  // The reason is the same for both.
  if (status === 404) return /bucket does not exist/i.test(message) ? "no-such-bucket" : "not-found";
  if (status === 401) return "bad-credentials";
  if (status === 403) return "access-denied";
  if (status === 412) return "corrupt";
  if (status === 507) return "full";
  if (status === 408 || status === GONE || status === 429 || status >= 500) return "unavailable";
  return status >= 400 ? "invalid" : "unknown";
}

function advice(code: ObjectStoreErrorCode, { bucket, identity, redact }: GcsPlace, said?: GcsRefusal): string {
  switch (code) {
    case "not-found":
      return "there is no such object";
    case "no-such-bucket":
      return `there is no bucket '${bucket}': create it, or correct the path`;
    case "bad-credentials":
      return `Google does not accept ${identity}, or no longer: renew the credentials`;
    case "access-denied":
      return `${identity} may not do this in bucket '${bucket}': check its roles`;
    case "full":
      return `a quota of bucket '${bucket}' is used up: delete objects, or raise the quota`;
    case "unavailable":
      return "Google Cloud Storage cannot be reached; retrying. If this persists, check the network";
    case "corrupt":
      return "the object was replaced meanwhile";
    default:
      return (said && redact(said.message)) || "an unexpected error";
  }
}

/** Errors are JSON, or plain text where bytes were asked for. */
function saidIn(text: string): { reason: string; message: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string; errors?: { reason?: string }[] } };
    return { reason: error?.errors?.[0]?.reason ?? "", message: error?.message ?? "" };
  } catch {
    return { reason: "", message: text.slice(0, 200) };
  }
}

function codeOfUnanswered(error: unknown): ObjectStoreErrorCode {
  // JSON that cannot be read was cut off, or comes from another server, such as a proxy.
  return error instanceof SyntaxError ? "unavailable" : codeOfSystemError(systemCodeOf(error));
}

function wordFor(error: unknown): string {
  return systemCodeOf(error) ?? (error instanceof Error ? error.name : "no error");
}

function systemCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
