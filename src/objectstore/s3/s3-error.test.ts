import { describe, expect, test } from "vitest";
import { ObjectStoreError } from "../object-store-error.ts";
import { s3Failure } from "./s3-error.ts";

const answered = (status: number, name = "Unknown") =>
  Object.assign(new Error("said the server"), { name, $metadata: { httpStatusCode: status } });
const broken = (code: string) => Object.assign(new Error("said the system"), { code });

describe("s3Failure", () => {
  test.each([
    ["a key that is not there", answered(404, "NoSuchKey"), "not-found"],
    ["a HEAD of nothing", answered(404, "NotFound"), "not-found"],
    ["a bucket that is not there", answered(404, "NoSuchBucket"), "no-such-bucket"],
    ["a key that is not known", answered(403, "InvalidAccessKeyId"), "access-denied"],
    ["a token that has expired", answered(400, "ExpiredToken"), "access-denied"],
    ["a HEAD that is not allowed", answered(403), "access-denied"],
    ["no credentials anywhere", Object.assign(new Error("x"), { name: "CredentialsProviderError" }), "bad-credentials"],
    ["a quota of Ceph", answered(403, "QuotaExceeded"), "full"],
    ["a full MinIO", answered(507, "XMinioStorageFull"), "full"],
    ["an object that was replaced", answered(412, "PreconditionFailed"), "corrupt"],
    ["bytes that did not arrive as they were sent", answered(400, "XAmzContentSHA256Mismatch"), "corrupt"],
    ["a server that asks for patience", answered(503, "SlowDown"), "unavailable"],
    ["a proxy without its server", answered(502), "unavailable"],
    ["a clock that is wrong", answered(403, "RequestTimeTooSkewed"), "unavailable"],
    ["another region", answered(301, "PermanentRedirect"), "invalid"],
    ["a name that no bucket can have", answered(400, "InvalidBucketName"), "invalid"],
    ["an answer that cannot be read", answered(200, "SyntaxError"), "unavailable"],
    ["nobody there", broken("ECONNREFUSED"), "unavailable"],
    ["a name that is not known", broken("ENOTFOUND"), "unavailable"],
    ["silence", Object.assign(new Error("x"), { name: "TimeoutError" }), "unavailable"],
    ["a certificate that nobody vouches for", broken("DEPTH_ZERO_SELF_SIGNED_CERT"), "invalid"],
    ["a certificate that has expired", broken("CERT_HAS_EXPIRED"), "invalid"],
    ["something else", new Error("surprise"), "unknown"],
    ["something that is no error", undefined, "unknown"],
  ] as const)("of %s", (_, error, code) => {
    const failure = s3Failure("put s3 'bucket/key'", error);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(/^put s3 'bucket\/key': ./);
  });

  test("leaves the SDK's error behind, which holds the request and who asked", () => {
    const error = Object.assign(answered(403, "SignatureDoesNotMatch"), { AWSAccessKeyId: "AKIA1" });
    const failure = s3Failure("get s3 'bucket/key'", error);
    expect(failure.cause).toBeUndefined();
    expect(failure.message).toContain("403 SignatureDoesNotMatch said the server");
  });

  test("leaves our own errors as they are", () => {
    const error = new ObjectStoreError("aborted", { operation: "get", message: "called off" });
    expect(s3Failure("put", error)).toBe(error);
  });
});
