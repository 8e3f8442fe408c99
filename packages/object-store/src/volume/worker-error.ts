import type { ObjectStoreErrorCode } from "../object-store-error.ts";

/** How a worker says no. The code travels in the answer; the status is for who knows nothing else. */
const STATUS = {
  "not-found": 404,
  "no-such-bucket": 404,
  "access-denied": 403,
  "bad-credentials": 401,
  full: 507,
  unavailable: 503,
  "too-slow": 504,
  corrupt: 409,
  aborted: 499,
  invalid: 400,
  unknown: 500,
} as const satisfies Record<ObjectStoreErrorCode, number>;

/** A failure inside a worker, on its way to the client. */
export class WorkerError extends Error {
  override readonly name = "WorkerError";

  readonly code: ObjectStoreErrorCode;

  constructor(code: ObjectStoreErrorCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** What a status means when the answer says nothing more: a proxy between us and the worker may have sent it. */
export function codeOfStatus(status: number): ObjectStoreErrorCode {
  if (status === 403) return "access-denied";
  if (status === 408 || status === 429 || (status >= 500 && status !== 507)) return "unavailable";
  const found = Object.entries(STATUS).find(([, own]) => own === status)?.[0];
  return (found as ObjectStoreErrorCode | undefined) ?? "unknown";
}

const SYSTEM: Readonly<Record<string, readonly [ObjectStoreErrorCode, string]>> = {
  ENOSPC: ["full", "no space is left on the volume: enlarge it, or keep fewer backups"],
  EDQUOT: ["full", "the quota of the volume is used up: raise it, or keep fewer backups"],
  EFBIG: ["full", "the file system takes no file of this size"],
  EACCES: ["access-denied", "the volume does not let user 9000 do this: let the group 9000 write to it"],
  EPERM: ["access-denied", "the volume does not let user 9000 do this: let the group 9000 write to it"],
  EROFS: ["access-denied", "the volume is read-only: mount one that can be written to"],
  ENAMETOOLONG: ["invalid", "the path is longer than the file system allows: choose a shorter one"],
  ENOTDIR: ["invalid", "a part of the path is a file, and no folder: choose another path"],
  EISDIR: ["invalid", "there is a folder of this name: choose another path"],
  EEXIST: ["invalid", "a part of the path is a file, and no folder: choose another path"],
  ELOOP: ["invalid", "the path leads over a symbolic link: choose another path"],
  EIO: ["unavailable", "the volume cannot be read or written to"],
  ESTALE: ["unavailable", "the file is stale on the server of the volume"],
  ENOTEMPTY: ["invalid", "there is a folder of this name: choose another path"],
};

/** Anything that was thrown inside a worker, as an error for the client. */
export function workerErrorOf(cause: unknown): WorkerError {
  if (cause instanceof WorkerError) return cause;
  const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException;
  const [known, advice] = SYSTEM[code] ?? ["unknown", message];
  return new WorkerError(known, SYSTEM[code] ? `${advice} (${code})` : advice, { cause });
}
