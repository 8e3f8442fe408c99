import { KubernetesError, type KubernetesErrorCode, resources } from "@etcd-operator/kubernetes-client";
import { openStore } from "@etcd-operator/object-store";
import { ClusterUnderTest } from "@etcd-operator/testing/kubelet/cluster-under-test.ts";
import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { ANY_TRUST } from "@etcd-operator/testing/transfer/any-trust.ts";
import { describe, expect, test } from "vitest";
import type { Trust } from "../trust/trust.ts";
import { type CloudSettings, cloudSettings } from "./cloud-settings.ts";
import { type CloudBlock, type StoreSpec, storeBlockOf } from "./store-block.ts";

const { signal } = new AbortController();
const TRUSTED: Trust = { ...ANY_TRUST, allowsLoopback: false };
/** Of a namespace that no administrator has named; names have the addresses that they begin with. */
const UNTRUSTED: Trust = {
  allowsLoopback: false,
  isTrusted: async () => false,
  resolve: (name, _, done) => done(null, [{ address: name.replace(/\.example$/, ""), family: 4 }]),
};
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
        ...{ mayUseOwnIdentity: false, lookup: expect.any(Function) },
      },
    ],
    [
      "S3, with the pod's own role",
      { s3: { path } },
      {},
      { ...{ kind: "s3", bucket: "bucket" }, mayUseOwnIdentity: true },
    ],
    [
      "S3, with a role in the configuration alone",
      { s3: { path, awsSecret: "secret" } },
      { config: "[default]\nregion = b" },
      { kind: "s3", bucket: "bucket", profile: { config: "[default]\nregion = b" }, mayUseOwnIdentity: true },
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
    [
      "GCS, with default credentials",
      { gcs: { path } },
      {},
      { kind: "gcs", bucket: "bucket", mayUseOwnIdentity: true },
    ],
    [
      "OSS",
      { oss: { path, ossSecret: "secret", endpoint: "https://oss.test" } },
      { accessKeyID: "id", accessKeySecret: "secret" },
      {
        ...{
          kind: "oss",
          bucket: "bucket",
          endpoint: "https://oss.test",
          accessKeyId: "id",
          accessKeySecret: "secret",
        },
        lookup: expect.any(Function),
      },
    ],
  ])("%s", async (_, spec, secret, settings) => {
    expect(await settingsOf(spec, secret)).toEqual(settings);
  });
});

const KEYS = { credentials: "[default]\naws_access_key_id = a\naws_secret_access_key = b\n" };

describe("of a namespace that is not trusted", () => {
  test.each<[string, StoreSpec, Record<string, string>]>([
    ["S3 without a Secret", { s3: { path } }, {}],
    ["S3 without a Secret, at another server", { s3: { path, endpoint: "https://10.0.0.1" } }, {}],
    [
      "S3 with a role that the operator would take on",
      { s3: { path, awsSecret: "secret" } },
      { config: "[default]\nrole_arn = a\n" },
    ],
    ["S3 with a region alone", { s3: { path, awsSecret: "secret" } }, { config: "[default]\nregion = eu-west-1\n" }],
    ["S3 with an empty profile", { s3: { path, awsSecret: "secret" } }, { credentials: "[default]\n" }],
    ["GCS without a Secret", { gcs: { path } }, {}],
  ])("%s does not use the operator's own identity, and the message names both ways out", async (_, spec, secret) => {
    const error = await storeErrorOf(opened(spec, secret, UNTRUSTED));
    expect([error.code, error.isTransient]).toEqual(["bad-credentials", false]);
    expect(error.message).toMatch(/Secret/);
  });

  test("the message says how an administrator allows it", async () => {
    const error = await storeErrorOf(settingsOf({ gcs: { path } }, {}, UNTRUSTED));
    expect(error.message).toContain("etcd.database.coreos.com/trusted=true");
    expect(error.message).toContain("--trusted-namespaces");
    expect(error.message).toContain("gcs.gcpSecret");
  });

  test("keys in a Secret are used", async () => {
    expect(await settingsOf({ s3: { path, awsSecret: "secret" } }, KEYS, UNTRUSTED)).toMatchObject({
      mayUseOwnIdentity: false,
    });
  });
});

test("the operator's own identity is not shown to another server, not even for a trusted namespace", async () => {
  const error = await storeErrorOf(opened({ s3: { path, endpoint: "https://10.0.0.1" } }, {}, TRUSTED));
  expect(error.code).toBe("bad-credentials");
  expect(error.message).toContain("s3.endpoint");
});

describe("a server is not asked that is", () => {
  const blocks = (server: string): [StoreSpec, Record<string, string>][] => [
    [{ s3: { path, awsSecret: "secret", endpoint: server } }, KEYS],
    [{ oss: { path, ossSecret: "secret", endpoint: server } }, { accessKeyID: "a", accessKeySecret: "b" }],
    [{ abs: { path, absSecret: "secret" } }, { "storage-account": "a", "storage-key": "b", cloud: server }],
  ];

  test.each([
    ["this machine", "http://127.0.0.1:9000"],
    ["this machine, in another form", "http://2130706433"],
    ["this machine, in IPv6", "http://[::1]:9000"],
    ["this machine, by name", "https://127.0.0.1.example"],
    ["the metadata service", "http://169.254.169.254/latest/meta-data"],
    ["the metadata service, mapped to IPv6", "http://[::ffff:169.254.169.254]"],
    ["the metadata service, by name", "http://169.254.169.254.example"],
    ["link-local", "http://169.254.1.1"],
    ["unspecified", "http://0.0.0.0:9000"],
  ])("%s", async (_, server) => {
    for (const [spec, secret] of blocks(server)) {
      const error = await storeErrorOf(settingsOf(spec, secret, UNTRUSTED));
      expect([error.code, error.isTransient]).toEqual(["access-denied", false]);
      expect(error.message).toMatch(/is not allowed: it is .*; use another server$/);
    }
  });

  test("but one in the cluster is", async () => {
    for (const [spec, secret] of blocks("http://10.96.0.7:9000")) {
      expect(await settingsOf(spec, secret, UNTRUSTED)).toHaveProperty("lookup");
    }
  });

  test("but one on this machine is, where the administrator allows that, and no metadata service even then", async () => {
    const allowing = { ...UNTRUSTED, allowsLoopback: true };
    for (const [spec, secret] of blocks("http://127.0.0.1:9000")) await settingsOf(spec, secret, allowing);
    for (const [spec, secret] of blocks("http://169.254.169.254")) {
      expect((await storeErrorOf(settingsOf(spec, secret, allowing))).code).toBe("access-denied");
    }
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
  const call = cloudSettings(
    { client: new ClusterUnderTest(), trust: TRUSTED },
    "prod",
    blockOf({ s3: { path, awsSecret: "mine" } }),
    signal,
  );
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
  const call = cloudSettings(
    { client, trust: TRUSTED },
    "prod",
    blockOf({ gcs: { path, gcpSecret: "secret" } }),
    signal,
  );
  expect((await storeErrorOf(call)).code).toBe(expected);
});

async function settingsOf(
  spec: StoreSpec,
  secret: Record<string, string>,
  given: Trust = TRUSTED,
): Promise<CloudSettings> {
  const cluster = new ClusterUnderTest();
  const data = Object.fromEntries(
    Object.entries(secret).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  await cluster.create(resources.secrets, { metadata: { namespace: "prod", name: "secret" }, data });
  return cloudSettings({ client: cluster, trust: given }, "prod", blockOf(spec), signal);
}

async function opened(spec: StoreSpec, secret: Record<string, string>, given: Trust): Promise<void> {
  const store = await openStore(await settingsOf(spec, secret, given));
  await store.close();
}

function blockOf(spec: StoreSpec): CloudBlock {
  const block = storeBlockOf(spec);
  if (block.type === "Volume") throw new Error("a volume has no settings of its own");
  return block;
}
