import { describe, expect, test } from "vitest";
import { ClusterUnderTest } from "../../test/support/kubelet/cluster-under-test.ts";
import { KubernetesError, type KubernetesErrorCode } from "../kubernetes/kubernetes-error.ts";
import { resources } from "../kubernetes/resources.ts";
import { storeErrorOf } from "../objectstore/contract/content.ts";
import { type CloudSettings, cloudSettings } from "./cloud-settings.ts";
import { type CloudBlock, type StoreSpec, storeBlockOf } from "./store-block.ts";

const { signal } = new AbortController();
const path = "bucket/etcd/backup";

describe("the settings of", () => {
  test.each<[string, StoreSpec, Record<string, string>, CloudSettings]>([
    [
      "S3, with all that its block and its Secret say",
      { s3: { path, awsSecret: "secret", endpoint: "https://s3.test", forcePathStyle: true } },
      { credentials: "[default]\naws_access_key_id = a\n", config: "[default]\nregion = b\n" },
      {
        ...{ kind: "s3", bucket: "bucket", endpoint: "https://s3.test", forcePathStyle: true },
        profile: { credentials: "[default]\naws_access_key_id = a\n", config: "[default]\nregion = b\n" },
      },
    ],
    ["S3, with the pod's own role", { s3: { path } }, {}, { kind: "s3", bucket: "bucket" }],
    [
      "S3, with a role in the configuration alone",
      { s3: { path, awsSecret: "secret" } },
      { config: "[default]\nregion = b" },
      { kind: "s3", bucket: "bucket", profile: { config: "[default]\nregion = b" } },
    ],
    [
      "ABS, without the line ends of files",
      { abs: { path, absSecret: "secret" } },
      { "storage-account": "account\n", "storage-key": "key\n", cloud: "AzureChinaCloud\n" },
      { kind: "abs", container: "bucket", account: "account", accountKey: "key", cloud: "AzureChinaCloud" },
    ],
    [
      "GCS, with a token",
      { gcs: { path, gcpSecret: "secret" } },
      { "access-token": "token\n" },
      { kind: "gcs", bucket: "bucket", accessToken: "token" },
    ],
    [
      "GCS, with a key",
      { gcs: { path, gcpSecret: "secret" } },
      { "credentials.json": "{}" },
      { kind: "gcs", bucket: "bucket", credentialsJson: "{}" },
    ],
    ["GCS, with default credentials", { gcs: { path } }, {}, { kind: "gcs", bucket: "bucket" }],
    [
      "OSS",
      { oss: { path, ossSecret: "secret", endpoint: "https://oss.test" } },
      { accessKeyID: "id", accessKeySecret: "secret" },
      { kind: "oss", bucket: "bucket", endpoint: "https://oss.test", accessKeyId: "id", accessKeySecret: "secret" },
    ],
  ])("%s", async (_, spec, secret, settings) => {
    expect(await settingsOf(spec, secret)).toEqual(settings);
  });
});

describe("a Secret that lacks something is named, with what it lacks", () => {
  test.each<[string, StoreSpec, Record<string, string>, RegExp]>([
    ["S3", { s3: { path, awsSecret: "secret" } }, {}, /s3\.awsSecret has no 'credentials'/],
    ["ABS", { abs: { path, absSecret: "secret" } }, { "storage-account": "a" }, /abs\.absSecret has no 'storage-key'/],
    ["ABS, empty", { abs: { path, absSecret: "secret" } }, { "storage-account": "\n" }, /no 'storage-account'/],
    ["GCS", { gcs: { path, gcpSecret: "secret" } }, { other: "x" }, /no 'access-token' or 'credentials.json'/],
    ["OSS", { oss: { path, ossSecret: "secret" } }, { accessKeyID: "a" }, /oss\.ossSecret has no 'accessKeySecret'/],
  ])("%s", async (_, spec, secret, words) => {
    const error = await storeErrorOf(settingsOf(spec, secret));
    expect([error.code, error.isTransient]).toEqual(["bad-credentials", false]);
    expect(error.message).toMatch(words);
    expect(error.message).toContain("'prod/secret'");
  });
});

test("a Secret that is not there is named, and the field that names it", async () => {
  const call = cloudSettings(new ClusterUnderTest(), "prod", blockOf({ s3: { path, awsSecret: "mine" } }), signal);
  const error = await storeErrorOf(call);
  expect(error.code).toBe("bad-credentials");
  expect(error.message).toContain(
    "Secret 'prod/mine' of s3.awsSecret does not exist: create it, or correct s3.awsSecret",
  );
});

test.each<[KubernetesErrorCode, string]>([
  ["forbidden", "access-denied"],
  ["unavailable", "unavailable"],
  ["timeout", "unavailable"],
  ["canceled", "aborted"],
])("an API server that says %s makes it %s", async (code, expected) => {
  const client = {
    get: () => Promise.reject(new KubernetesError(code, { operation: "GET", message: "says the API server" })),
  };
  const call = cloudSettings(client, "prod", blockOf({ gcs: { path, gcpSecret: "secret" } }), signal);
  expect((await storeErrorOf(call)).code).toBe(expected);
});

async function settingsOf(spec: StoreSpec, secret: Record<string, string>): Promise<CloudSettings> {
  const cluster = new ClusterUnderTest();
  const data = Object.fromEntries(
    Object.entries(secret).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  await cluster.create(resources.secrets, { metadata: { namespace: "prod", name: "secret" }, data });
  return cloudSettings(cluster, "prod", blockOf(spec), signal);
}

function blockOf(spec: StoreSpec): CloudBlock {
  const block = storeBlockOf(spec);
  if (block.type === "Volume") throw new Error("a volume has no settings of its own");
  return block;
}
