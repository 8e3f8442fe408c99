import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, test } from "vitest";
import { type CredentialsOrigin, googleCredentials } from "./google-credentials.ts";

const SERVICE_ACCOUNT = { type: "service_account", client_email: "a@b", private_key: "canary-key" };
const EXTERNAL_ACCOUNT = {
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/var/run/secrets/tokens/gcp" },
};

const read = (value: unknown, origin: CredentialsOrigin = "administrator") =>
  googleCredentials(typeof value === "string" ? value : JSON.stringify(value), "'here'", origin);
const IMPERSONATION =
  "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b.example:generateAccessToken";

describe("googleCredentials", () => {
  test("reads the key of a service account", () => {
    const token_uri = "https://oauth2.googleapis.com/token";
    expect(read(SERVICE_ACCOUNT)).toEqual({ ...SERVICE_ACCOUNT, token_uri });
  });

  test("reads an external account", () => {
    expect(read(EXTERNAL_ACCOUNT)).toMatchObject({ type: "external_account", audience: EXTERNAL_ACCOUNT.audience });
  });

  test("reads what gcloud keeps for a user", () => {
    const user = { type: "authorized_user", client_id: "a", client_secret: "b", refresh_token: "c" };
    expect(read(user)).toEqual(user);
  });

  test.each([
    ["https://oauth2.googleapis.com/token"],
    ["https://www.googleapis.com/oauth2/v4/token"],
    ["https://accounts.google.com/o/oauth2/token"],
  ])("takes '%s' for Google's address for service accounts", (url) => {
    expect(read({ ...SERVICE_ACCOUNT, token_uri: url }, "secret")).toMatchObject({ token_uri: url });
  });

  test.each([
    ["https://sts.googleapis.com/v1/token", IMPERSONATION],
    ["https://sts.us-east1.rep.googleapis.com/v1/token", IMPERSONATION.replace("a@b", "a%40b")],
    ["https://sts.northamerica-northeast2.rep.googleapis.com/v1/token", IMPERSONATION],
  ])("takes '%s' and '%s' for Google's addresses for external accounts", (token_url, url) => {
    const account = { ...EXTERNAL_ACCOUNT, token_url, service_account_impersonation_url: url };
    expect(read(account)).toMatchObject({ token_url });
  });

  test("refuses an external account of a Secret, whose proof would be the operator's", async () => {
    const error = await storeErrorOf(Promise.resolve().then(() => read(EXTERNAL_ACCOUNT, "secret")));
    expect(error).toMatchObject({ code: "bad-credentials", message: expect.stringContaining("service account") });
  });

  test.each([
    ["text that is not JSON", "canary-key", "is not JSON"],
    ["JSON that is no object", "[]", "unknown type"],
    ["no type", { client_email: "a@b" }, "unknown type"],
    ["a type that runs a program", { type: "executable" }, "unknown type"],
    ["a service account without key", { ...SERVICE_ACCOUNT, private_key: "" }, "'private_key'"],
    ["a service account without name", { ...SERVICE_ACCOUNT, client_email: 7 }, "'client_email'"],
    ["another's address for tokens", { ...SERVICE_ACCOUNT, token_uri: "https://evil.example/token" }, "evil.example"],
    ["an address that only looks right", { ...SERVICE_ACCOUNT, token_uri: "https://evilgoogleapis.com/" }, "evil"],
    [
      "an address without TLS",
      { ...SERVICE_ACCOUNT, token_uri: "http://oauth2.googleapis.com/token" },
      "token service",
    ],
    ["an address of another service", { ...SERVICE_ACCOUNT, token_uri: EXTERNAL_ACCOUNT.token_url }, "sts"],
    [
      "a bucket for tokens",
      { ...SERVICE_ACCOUNT, token_uri: "https://storage.googleapis.com/upload/storage/v1/b/loot/o" },
      "storage.googleapis.com",
    ],
    ["another's address for proofs", { ...EXTERNAL_ACCOUNT, token_url: "https://evil.example" }, "evil.example"],
    [
      "a foreign address for impersonation",
      { ...EXTERNAL_ACCOUNT, service_account_impersonation_url: "https://evil.example" },
      "evil.example",
    ],
    ["a proof from a program", { ...EXTERNAL_ACCOUNT, credential_source: { executable: { command: "x" } } }, "neither"],
    ["a proof from AWS", { ...EXTERNAL_ACCOUNT, credential_source: { environment_id: "aws1" } }, "neither"],
  ])("refuses %s, and tells nothing secret", async (_, value, words) => {
    const error = await storeErrorOf(Promise.resolve().then(() => read(value)));
    expect(error.code).toBe("bad-credentials");
    expect(error.message).toContain("'here'");
    expect(error.message).toContain(words);
    expect(error.message).not.toContain("canary");
  });
});
