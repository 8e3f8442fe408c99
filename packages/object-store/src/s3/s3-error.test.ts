import { describe, expect, test } from "vitest";
import { ObjectStoreError } from "../object-store-error.ts";
import { redactor } from "../redacted.ts";
import { s3Failure } from "./s3-error.ts";

const answered = (status: number, name = "Unknown") =>
  Object.assign(new Error("said the server"), { name, $metadata: { httpStatusCode: status } });
const redact = redactor(["canary-key-id", "canary/secret"]);
const broken = (code: string) => Object.assign(new Error("said the system"), { code });

describe("s3Failure", () => {
  test.each([
    ["a key that is not there", answered(404, "NoSuchKey"), "not-found"],
    ["a HEAD of nothing", answered(404, "NotFound"), "not-found"],
    ["a bucket that is not there", answered(404, "NoSuchBucket"), "no-such-bucket"],
    ["a key that is not known", answered(403, "InvalidAccessKeyId"), "bad-credentials"],
    ["a token that has expired", answered(400, "ExpiredToken"), "bad-credentials"],
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
    ["no server there", broken("ECONNREFUSED"), "unavailable"],
    ["a name that is not known", broken("ENOTFOUND"), "unavailable"],
    ["silence", Object.assign(new Error("x"), { name: "TimeoutError" }), "unavailable"],
    ["a certificate without a known authority", broken("DEPTH_ZERO_SELF_SIGNED_CERT"), "invalid"],
    ["a certificate that has expired", broken("CERT_HAS_EXPIRED"), "invalid"],
    ["something else", new Error("surprise"), "unknown"],
    ["something that is no error", undefined, "unknown"],
  ] as const)("of %s", (_, error, code) => {
    const failure = s3Failure("put s3 'bucket/key'", error, redact);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(/^put s3 'bucket\/key': ./);
  });

  test("leaves the SDK's error behind, which holds the request and who asked", () => {
    const error = Object.assign(answered(403, "SignatureDoesNotMatch"), { AWSAccessKeyId: "AKIA1" });
    const failure = s3Failure("get s3 'bucket/key'", error, redact);
    expect(failure.cause).toBeUndefined();
    expect(failure.message).toContain("403 SignatureDoesNotMatch said the server");
  });

  test.each([
    ["the id of our key", "The key canary-key-id does not exist in our records"],
    ["our secret", "The signature does not match that of canary/secret"],
    ["our secret, written as in a URL", "?s=canary%2Fsecret"],
    ["the key of a role that we were not told", "ASIACANARYCANARYCANA is not known"],
    ["a signature", "/?X-Amz-Signature=canary0canary&x=1"],
  ])("does not pass on %s, which the server quotes", (_, said) => {
    const error = Object.assign(answered(403, "SignatureDoesNotMatch"), { message: said });
    expect(s3Failure("get s3 'bucket/key'", error, redact).message).not.toMatch(/canary/i);
    const odd = Object.assign(answered(403, said), { message: "no" });
    expect(s3Failure("get s3 'bucket/key'", odd, redact).message).not.toMatch(/canary/i);
  });

  test("distinguishes refused credentials from none at all, and from missing permissions", () => {
    const message = (name: string, status?: number) =>
      s3Failure("get", status ? answered(status, name) : Object.assign(new Error("x"), { name }), redact).message;
    expect(message("InvalidAccessKeyId", 403)).toMatch(/^get: the server does not accept the credentials: .*renew/);
    expect(message("CredentialsProviderError")).toMatch(/^get: there are no credentials: name a Secret/);
    expect(message("AccessDenied", 403)).toMatch(/^get: permission denied: .*allowed to do/);
  });

  test("leaves our own errors as they are", () => {
    const error = new ObjectStoreError("aborted", { operation: "get", message: "called off" });
    expect(s3Failure("put", error, redact)).toBe(error);
  });
});
