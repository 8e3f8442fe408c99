import { RestError } from "@azure/storage-blob";
import { AnswerTooLarge } from "../bounded-body.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "../object-store-error.ts";
import type { Redact } from "../redacted.ts";
import { codeOfSystemError } from "../system-error-code.ts";

/** Where a call went, for the message. */
export interface AbsPlace {
  /** As in "put abs 'container/key'". */
  readonly operation: string;
  readonly container: string;
  readonly account: string;
  /** For what is quoted of the server. */
  readonly redact: Redact;
}

/** What an error of Azure's library means. The library's own error is left behind: it holds the request. */
export function absError(error: unknown, place: AbsPlace): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error;
  const { operation, redact } = place;
  if (error instanceof AnswerTooLarge) return new ObjectStoreError("corrupt", { operation, message: error.message });
  const said = saidBy(error);
  const code = codeOf(said);
  const summary = redact([said.status, said.code].filter(Boolean).join(" ") || said.message);
  return new ObjectStoreError(code, { operation, message: `${advice(code, said, place)} (${summary})` });
}

export function statusOf(error: unknown): number | undefined {
  return saidBy(error).status;
}

interface Said {
  readonly status: number | undefined;
  readonly code: string;
  readonly message: string;
}

function saidBy(error: unknown): Said {
  if (!(error instanceof RestError)) return { status: undefined, code: "", message: String(error) };
  const { statusCode: status, message } = error;
  const details = error.details as { errorCode?: string } | undefined;
  const code = details?.errorCode ?? error.response?.headers.get("x-ms-error-code") ?? error.code;
  return { status, code: code ?? (status ? "" : RestError.REQUEST_SEND_ERROR), message: firstLine(message) };
}

// The rest is the request, with its headers.
function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}

const CODES: Readonly<Record<string, ObjectStoreErrorCode>> = {
  BlobNotFound: "not-found",
  ContainerNotFound: "no-such-bucket",
  ContainerBeingDeleted: "no-such-bucket",
  ContainerDisabled: "access-denied",
  AccountIsDisabled: "access-denied",
  BlobImmutableDueToPolicy: "access-denied",
  LeaseIdMissing: "access-denied",
  // Another client's commit under the same key drops our blocks.
  InvalidBlockList: "corrupt",
  ConditionNotMet: "corrupt",
  // The library's own words for no answer, and for one that ended half-way.
  [RestError.REQUEST_SEND_ERROR]: "unavailable",
  [RestError.PARSE_ERROR]: "unavailable",
};

function codeOf({ status, code }: Said): ObjectStoreErrorCode {
  const known = CODES[code];
  if (known) return known;
  if (status === 507 || /quota|capacity|InsufficientStorage/i.test(code)) return "full";
  // There was no answer.
  if (status === undefined) return codeOfSystemError(code);
  // The key of an account may do everything: a refused client is unknown, or its address is not allowed.
  if (status === 401 || status === 403) return "bad-credentials";
  if (status === 404) return "not-found";
  if (status === 408 || status === 429 || status >= 500) return "unavailable";
  return status >= 400 ? "invalid" : "unknown";
}

function advice(code: ObjectStoreErrorCode, said: Said, { container, account, redact }: AbsPlace): string {
  if (said.code === "InvalidBlobOrBlock") {
    return "another program left unfinished blocks under the same key: choose another, or wait a week until they are gone";
  }
  if (said.code === "SnapshotsPresent")
    return "the blob has snapshots, which are not ours to delete: delete them first";
  switch (code) {
    case "not-found":
      return "there is no such blob";
    case "no-such-bucket":
      return `account '${account}' has no container '${container}': create it, or correct the path`;
    case "bad-credentials":
      return `account '${account}' refuses the credentials: correct or renew 'storage-account' and 'storage-key' in the Secret, or let the operator through its firewall`;
    case "access-denied":
      return `account '${account}' refuses it: check what it allows for container '${container}'`;
    case "full":
      return `account '${account}' has no space left: delete objects, or raise its quota`;
    case "unavailable":
      return `account '${account}' cannot be reached; retrying. If this persists, check account, cloud and network`;
    case "corrupt":
      return "the blob was replaced meanwhile";
    default:
      return redact(said.message);
  }
}
