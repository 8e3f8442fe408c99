import { describe, expect, test } from "vitest";
import { ObjectStoreError } from "../object-store-error.ts";
import { redactor } from "../redacted.ts";
import { CredentialError, GcsRefusal, gcsError } from "./gcs-error.ts";

const PLACE = {
  operation: "put gcs 'bucket/key'",
  bucket: "bucket",
  identity: "the access token in the Secret",
  redact: redactor(["canary-token"]),
};

const refused = (status: number, reason = "", message = "said Google") =>
  new GcsRefusal(status, JSON.stringify({ error: { code: status, message, errors: [{ reason }] } }));
const broken = (code: string) => Object.assign(new Error("at https://storage/?upload_id=canary"), { code });

describe("gcsError", () => {
  test.each([
    ["an object that is not there", refused(404, "notFound", "No such object: bucket/key"), "not-found"],
    ["a bucket that is not there", refused(404, "notFound", "The specified bucket does not exist."), "no-such-bucket"],
    ["the same in plain text", new GcsRefusal(404, "The specified bucket does not exist."), "no-such-bucket"],
    ["a token that is not good", refused(401, "authError"), "bad-credentials"],
    ["a role that is missing", refused(403, "forbidden"), "access-denied"],
    ["a quota", refused(403, "quotaExceeded"), "full"],
    ["too many requests", refused(403, "rateLimitExceeded"), "unavailable"],
    ["the same with a status of its own", refused(429, "rateLimitExceeded"), "unavailable"],
    ["an object that was replaced", refused(412, "conditionNotMet"), "corrupt"],
    ["the same in plain text", new GcsRefusal(412, "Precondition failed"), "corrupt"],
    ["an upload that is gone", refused(410), "unavailable"],
    ["a server that failed", refused(500, "backendError"), "unavailable"],
    ["a server that is busy, without a body", new GcsRefusal(503, ""), "unavailable"],
    ["a name that no object can have", refused(400, "invalid", "Invalid object name"), "invalid"],
    ["JSON that is cut off", new SyntaxError("Unexpected end of JSON input"), "unavailable"],
    ["no server there", broken("ECONNREFUSED"), "unavailable"],
    ["a connection that broke", broken("UND_ERR_SOCKET"), "unavailable"],
    ["a certificate that has expired", broken("CERT_HAS_EXPIRED"), "invalid"],
    ["no token", new CredentialError("access-denied", "Google gives no token"), "access-denied"],
    ["something else", new TypeError("surprise"), "unknown"],
    ["something that is no error", undefined, "unknown"],
  ] as const)("of %s", (_, error, code) => {
    const failure = gcsError(error, PLACE);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(/^put gcs 'bucket\/key': .+/);
    expect(failure.message).not.toContain("canary");
    expect(failure.cause).toBeUndefined();
  });

  test("leaves errors of the store as they are", () => {
    const error = new ObjectStoreError("aborted", { operation: "x", message: "called off" });
    expect(gcsError(error, PLACE)).toBe(error);
  });

  test("does not pass on what Google quotes of a token", () => {
    const said = "token canary-token, or ya29.canary, is no good here";
    const { message } = gcsError(refused(400, "invalid", said), PLACE);
    expect(message).toContain("token [redacted], or [redacted], is no good here");
  });

  test("says who was refused, and what Google calls it", () => {
    const { message } = gcsError(refused(403, "forbidden"), PLACE);
    expect(message).toContain("the access token in the Secret");
    expect(message).toContain("(403 forbidden)");
  });
});
