import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, test } from "vitest";
import { accountOf, blobEndpoint } from "./blob-endpoint.ts";

const KEY = Buffer.from("a key").toString("base64");

describe("blobEndpoint", () => {
  test.each([
    [undefined, "https://mine.blob.core.windows.net"],
    ["", "https://mine.blob.core.windows.net"],
    ["AzurePublicCloud", "https://mine.blob.core.windows.net"],
    ["AzureCloud", "https://mine.blob.core.windows.net"],
    ["AZUREPUBLICCLOUD", "https://mine.blob.core.windows.net"],
    ["AzureChinaCloud", "https://mine.blob.core.chinacloudapi.cn"],
    ["china", "https://mine.blob.core.chinacloudapi.cn"],
    ["AzureUSGovernmentCloud", "https://mine.blob.core.usgovcloudapi.net"],
    ["AzureUSGovernment", "https://mine.blob.core.usgovcloudapi.net"],
    ["usgovernment", "https://mine.blob.core.usgovcloudapi.net"],
    ["AzureGermanCloud\n", "https://mine.blob.core.cloudapi.de"],
    ["german", "https://mine.blob.core.cloudapi.de"],
    ["http://127.0.0.1:10000", "http://127.0.0.1:10000/mine"],
    ["https://azurite.example/blobs/", "https://azurite.example/blobs/mine"],
  ])("of the cloud %o is %s", (cloud, expected) => {
    expect(blobEndpoint({ account: "mine", cloud })).toBe(expected);
  });

  test.each(["AzureMoonCloud", "ftp://example", "https://[broken"])("of '%s' cannot be told", async (cloud) => {
    const error = await storeErrorOf(Promise.resolve().then(() => blobEndpoint({ account: "mine", cloud })));
    expect(error.code).toBe("bad-credentials");
    // What a Secret holds is not told, not even where it is no secret.
    expect(error.message).toContain("'cloud' in the Secret");
    expect(error.message).not.toContain(cloud);
  });
});

describe("accountOf", () => {
  test("takes away the white space around what a Secret holds", () => {
    const settings = { account: "mine\n", accountKey: `${KEY}\n` };
    expect(accountOf(settings)).toEqual({ account: "mine", accountKey: KEY });
  });

  test.each([
    ["no account", { account: "", accountKey: KEY }, "storage-account"],
    ["an account that is an address", { account: "evil.example/x", accountKey: KEY }, "storage-account"],
    ["an account with capitals", { account: "Mine", accountKey: KEY }, "storage-account"],
    ["no key", { account: "mine", accountKey: "" }, "storage-key"],
    ["a key that is not in base64", { account: "mine", accountKey: "canary-key" }, "storage-key"],
    ["a key that was cut", { account: "mine", accountKey: KEY.slice(0, -1) }, "storage-key"],
  ])("refuses %s, and names the field but not what is in it", async (_, settings, field) => {
    const error = await storeErrorOf(Promise.resolve().then(() => accountOf(settings)));
    expect(error.code).toBe("bad-credentials");
    expect(error.message).toContain(`'${field}'`);
    expect(error.message).not.toContain("canary");
  });
});
