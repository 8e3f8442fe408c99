import { RestError } from "@azure/storage-blob";
import { describe, expect, test } from "vitest";
import { ObjectStoreError } from "../object-store-error.ts";
import { redactor } from "../redacted.ts";
import { absError } from "./abs-error.ts";

const redact = redactor(["Y2FuYXJ5"]);
const PLACE = { operation: "put abs 'container/key'", container: "container", account: "mine", redact };

function answered(statusCode: number, errorCode?: string): RestError {
  const error = new RestError("said the server\nRequestId:1", { statusCode });
  error.details = { errorCode };
  return error;
}

const broken = (code: string) => new RestError("said the system", { code });

describe("absError", () => {
  test.each([
    ["a blob that is not there", answered(404, "BlobNotFound"), "not-found"],
    ["a HEAD of nothing", answered(404), "not-found"],
    ["a container that is not there", answered(404, "ContainerNotFound"), "no-such-bucket"],
    ["a container that is about to go", answered(409, "ContainerBeingDeleted"), "no-such-bucket"],
    ["a wrong key", answered(403, "AuthenticationFailed"), "bad-credentials"],
    ["a firewall", answered(403, "AuthorizationFailure"), "bad-credentials"],
    ["a HEAD that is not allowed", answered(403), "bad-credentials"],
    ["a blob that must not change", answered(409, "BlobImmutableDueToPolicy"), "access-denied"],
    ["a server without room", answered(507), "full"],
    ["a quota", answered(403, "StorageQuotaExceeded"), "full"],
    ["a blob that was replaced", answered(412, "ConditionNotMet"), "corrupt"],
    ["blocks that another client's commit dropped", answered(400, "InvalidBlockList"), "corrupt"],
    ["a server that is busy", answered(503, "ServerBusy"), "unavailable"],
    ["a server that failed", answered(500, "InternalError"), "unavailable"],
    ["a proxy without its server", answered(502), "unavailable"],
    ["an answer that cannot be read", new RestError("x", { statusCode: 200, code: "PARSE_ERROR" }), "unavailable"],
    ["no server there", broken("ECONNREFUSED"), "unavailable"],
    ["an account that no name server knows", broken("ENOTFOUND"), "unavailable"],
    ["no answer, without a reason", new RestError("x"), "unavailable"],
    ["a certificate that has expired", broken("CERT_HAS_EXPIRED"), "invalid"],
    ["a container with an impossible name", answered(400, "InvalidResourceName"), "invalid"],
    ["something else", new TypeError("surprise"), "unknown"],
    ["something that is no error", undefined, "unknown"],
  ] as const)("of %s", (_, error, code) => {
    const failure = absError(error, PLACE);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(/^put abs 'container\/key': .+/);
    expect(failure.cause).toBeUndefined();
  });

  test("leaves errors of the store as they are", () => {
    const error = new ObjectStoreError("aborted", { operation: "x", message: "called off" });
    expect(absError(error, PLACE)).toBe(error);
  });

  test("does not pass on what the server quotes of our key or of a signature", () => {
    const said = "the key Y2FuYXJ5 and the signature 'canary01canary01canary01canary01canary01can=' are no good";
    const { message } = absError(new RestError(said, { statusCode: 400 }), PLACE);
    expect(message).toContain("the key [redacted] and the signature '[redacted]' are no good");
    expect(absError(new TypeError(said), PLACE).message).not.toMatch(/canary|Y2FuYXJ5/);
  });

  test.each([
    ["InvalidBlobOrBlock", 400, "choose another"],
    ["SnapshotsPresent", 409, "delete them first"],
    ["ContainerNotFound", 404, "has no container 'container'"],
    ["AuthenticationFailed", 403, "'storage-key'"],
  ])("says what to do about %s", (code, status, words) => {
    const { message } = absError(answered(status, code), PLACE);
    expect(message).toContain(words);
    expect(message).toContain(`(${status} ${code})`);
  });
});
