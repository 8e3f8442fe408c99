import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordedInternet, startRecordedInternet } from "@etcd-operator/testing/objectstore/recorded-internet.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ObjectStoreError } from "./object-store-error.ts";
import { openStore } from "./open-store.ts";
import type { StoreSettings } from "./store-settings.ts";

/** What lies in the operator's pod and no user of a namespace may see: a file, and keys in the environment. */
const CANARY = "canary-of-the-operator";
const EVIL = "https://evil.example/upload";
/** A bucket of anybody, to which anybody may write: under Google's own name. */
const LOOT = "https://storage.googleapis.com/upload/storage/v1/b/loot/o?uploadType=media&name=loot";

let dir: string;
let internet: RecordedInternet;
let redirectTo: string | undefined;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "what-leaves-"));
  await writeFile(join(dir, "token"), CANARY);
});
afterAll(() => rm(dir, { recursive: true, force: true }));
beforeEach(async () => {
  redirectTo = undefined;
  internet = await startRecordedInternet(answerTo);
  const operator = {
    AWS_ACCESS_KEY_ID: `${CANARY}-id`,
    AWS_SECRET_ACCESS_KEY: CANARY,
    AWS_SESSION_TOKEN: CANARY,
    AWS_REGION: "eu-west-1",
    AWS_CONFIG_FILE: join(dir, "none"),
    AWS_SHARED_CREDENTIALS_FILE: join(dir, "none"),
    HOME: dir,
    CLOUDSDK_CONFIG: dir,
    GCE_METADATA_HOST: "127.0.0.1:9",
  };
  for (const [name, value] of Object.entries({ ...operator, ...internet.environment })) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await internet.close();
});

/** Tokens to those that ask for them, and nothing else that any store would be content with. */
function answerTo(request: string, response: ServerResponse): void {
  if (redirectTo) return void response.writeHead(307, { location: redirectTo }).end();
  if (/\/(?:o\/oauth2\/)?token$/.test(request)) {
    response.setHeader("content-type", "application/json");
    return void response.end(JSON.stringify({ access_token: "short-lived", expires_in: 3600 }));
  }
  if (request.endsWith(":generateAccessToken")) {
    return void response.end(JSON.stringify({ accessToken: "impersonated", expireTime: "2999-01-01T00:00:00Z" }));
  }
  if (/\/\/sts[^/]*\.amazonaws\.com/.test(request)) return void response.end(ASSUMED);
  response.writeHead(404).end();
}

const ASSUMED = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>role</SecretAccessKey><SessionToken>role</SessionToken>
<Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;

/**
 * Asks the store for an object and sends it one; what comes of that does not matter here, except that it was refused
 * before.
 */
async function used(settings: StoreSettings): Promise<string | undefined> {
  const content = async function* () {
    yield Buffer.from("a snapshot");
  };
  try {
    const store = await openStore(settings, { attempts: 1, idleTimeoutMs: 5_000 });
    try {
      await store.stat("key").catch(unlessCredentials);
      await store.put("key", content()).catch(unlessCredentials);
    } finally {
      await store.close();
    }
    return undefined;
  } catch (error) {
    if (error instanceof ObjectStoreError && error.code === "bad-credentials") return error.message;
    throw error;
  }
}

function unlessCredentials(error: unknown): void {
  const isExpected = error instanceof ObjectStoreError && error.code !== "bad-credentials";
  if (!isExpected) throw error;
}

/** Where requests went, each place once; what the path says of the bucket's objects is left out. */
function places(): string[] {
  const cut = (request: string) =>
    request
      .replace(/^[A-Z]+ /, "")
      .replace(/(storage\.googleapis\.com)\/(?:upload\/)?storage\/v1\/b\/backups\/.*/, "$1");
  const withoutKey = (place: string) => place.replace(/\/(?:backups\/?)?(?:key)?$/, "");
  return [...new Set(internet.sent.map(({ request }) => withoutKey(cut(request))))].sort();
}

function expectNoCanary(message = ""): void {
  for (const { text } of internet.sent) expect(text).not.toContain(CANARY);
  // Neither with the signature of AWS, in which only the name of the key is to be seen.
  expect(message).not.toContain(CANARY);
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const serviceAccount = (token_uri?: string) => ({
  type: "service_account",
  client_email: "a@b.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  ...(token_uri && { token_uri }),
});
const externalAccount = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: join(dir, "token") },
  ...more,
});
const fromMachine = (more: Readonly<Record<string, unknown>> = {}) =>
  externalAccount({
    credential_source: {
      url: "http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token",
      headers: { "Metadata-Flavor": "Google" },
      format: { type: "json", subject_token_field_name: "access_token" },
    },
    ...more,
  });
const gcs = (credentials: unknown) =>
  ({ kind: "gcs", bucket: "backups", credentialsJson: JSON.stringify(credentials) }) as const;

const KEYS = "aws_access_key_id = AKIATENANT\naws_secret_access_key = tenant\n";
const s3 = (config: string, more: object = {}) =>
  ({
    kind: "s3",
    bucket: "backups",
    profile: { credentials: `[default]\n${KEYS}`, config: `[default]\nregion = eu-central-1\n${config}` },
    ...more,
  }) as const;
const AWS = "https://backups.s3.eu-central-1.amazonaws.com";

const abs = (cloud?: string, accountKey = Buffer.from("tenant").toString("base64")) =>
  ({ kind: "abs", container: "backups", account: "mine", accountKey, cloud }) as const;
const oss = (endpoint?: string) =>
  ({ kind: "oss", bucket: "backups", accessKeyId: "id", accessKeySecret: "tenant", endpoint }) as const;

const STORAGE = "https://storage.googleapis.com";

describe("what a Secret holds leaves the process for these places, and nothing of the operator's goes along", () => {
  test.each<[string, () => StoreSettings, string[]]>([
    ["GCS, a token", () => ({ kind: "gcs", bucket: "backups", accessToken: "tenant" }), [STORAGE]],
    ["GCS, a service account", () => gcs(serviceAccount()), ["https://oauth2.googleapis.com/token", STORAGE]],
    [
      "GCS, a service account with an older address",
      () => gcs(serviceAccount("https://accounts.google.com/o/oauth2/token")),
      ["https://accounts.google.com/o/oauth2/token", STORAGE],
    ],
    [
      "GCS, a user of gcloud",
      () => gcs({ type: "authorized_user", client_id: "a", client_secret: "b", refresh_token: "c" }),
      ["https://oauth2.googleapis.com/token", STORAGE],
    ],
    ["S3, keys", () => s3(""), [AWS]],
    [
      "S3, keys of another partition",
      () => s3("region = cn-north-1\n"),
      [`${AWS.replace("eu-central-1", "cn-north-1")}.cn`],
    ],
    [
      "S3, other addresses and authorities in 'config'",
      () =>
        s3(
          `endpoint_url = ${EVIL}\nca_bundle = ${join(dir, "token")}\nservices = s\n[services s]\ns3 =\n  endpoint_url = ${EVIL}\n`,
        ),
      [AWS],
    ],
    [
      "S3, a role that is taken on with keys",
      () => s3("role_arn = arn:aws:iam::123456789012:role/backup\n"),
      [AWS, "https://sts.eu-central-1.amazonaws.com"],
    ],
    [
      "S3, a role that is taken on with the keys of another profile",
      () => ({
        ...s3("role_arn = arn:aws:iam::123456789012:role/backup\nsource_profile = base\n"),
        profile: {
          credentials: `[base]\n${KEYS}`,
          config:
            "[default]\nregion = eu-central-1\nrole_arn = arn:aws:iam::123456789012:role/backup\nsource_profile = base\n",
        },
      }),
      [AWS, "https://sts.eu-central-1.amazonaws.com"],
    ],
    [
      "S3, another server",
      () => s3("", { endpoint: "https://minio.example:9000", forcePathStyle: true }),
      ["https://minio.example:9000"],
    ],
    [
      "S3, another server and a role",
      () =>
        s3("role_arn = arn:aws:iam::123456789012:role/backup\n", { endpoint: "minio.example", forcePathStyle: true }),
      ["https://minio.example", "https://sts.eu-central-1.amazonaws.com"],
    ],
    ["Azure", () => abs(), ["https://mine.blob.core.windows.net"]],
    ["Azure in China", () => abs("AzureChinaCloud"), ["https://mine.blob.core.chinacloudapi.cn"]],
    ["Azure, another server", () => abs("https://azurite.example/"), ["https://azurite.example/mine"]],
    ["OSS", () => oss(), ["https://backups.s3.oss-cn-hangzhou.aliyuncs.com"]],
    [
      "OSS, another region",
      () => oss("oss-cn-beijing.aliyuncs.com"),
      ["https://backups.s3.oss-cn-beijing.aliyuncs.com"],
    ],
    ["OSS, another server", () => oss("https://oss.example"), ["https://backups.oss.example"]],
  ])("%s", async (_, settings, expected) => {
    expect(await used(settings())).toBeUndefined();
    expect(places()).toEqual(expected.sort());
    expectNoCanary();
  });
});

describe("nothing at all leaves the process for a Secret with", () => {
  test.each<[string, () => StoreSettings, string]>([
    [
      "GCS, a file of the operator for a bucket of anybody",
      () => gcs(externalAccount({ token_url: LOOT })),
      "external account",
    ],
    ["GCS, a file of the operator for Google", () => gcs(externalAccount()), "external account"],
    [
      "GCS, the machine's token for a bucket of anybody",
      () => gcs(fromMachine({ token_url: LOOT })),
      "external account",
    ],
    ["GCS, the machine's token for Google", () => gcs(fromMachine()), "external account"],
    [
      "GCS, a program",
      () => gcs(externalAccount({ credential_source: { executable: { command: "/bin/cat /etc/passwd" } } })),
      "external account",
    ],
    [
      "GCS, the machine by way of AWS",
      () => gcs(externalAccount({ credential_source: { environment_id: "aws1", url: "http://169.254.169.254/" } })),
      "external account",
    ],
    ["GCS, a service account whose statement goes to a bucket", () => gcs(serviceAccount(LOOT)), "'token_uri'"],
    ["GCS, a service account whose statement goes elsewhere", () => gcs(serviceAccount(EVIL)), "'token_uri'"],
    ["GCS, an unknown type", () => gcs({ ...externalAccount(), type: "impersonated_service_account" }), "unknown type"],
    ["S3, a program", () => s3("credential_process = /bin/cat /etc/passwd\n"), "'credential_process'"],
    [
      "S3, a file with a token",
      () => s3(`web_identity_token_file = ${join(dir, "token")}\n`),
      "'web_identity_token_file'",
    ],
    ["S3, single sign-on", () => s3(`sso_start_url = ${EVIL}\n`), "'sso_start_url'"],
    ["S3, a session of single sign-on", () => s3("sso_session = mine\n"), "'sso_session'"],
    ["S3, a region that is a host", () => s3("region = evil.example/#\n"), "'region'"],
    ["S3, a role of a profile without keys", () => s3("role_arn = a\nsource_profile = gone\n"), "'gone'"],
    [
      "GCS, nothing, where the operator's own identity is not granted",
      () => ({ kind: "gcs", bucket: "backups" }),
      "gcs.gcpSecret",
    ],
    [
      "S3, nothing, where the operator's own identity is not granted",
      () => ({ kind: "s3", bucket: "backups" }),
      "s3.awsSecret",
    ],
    [
      "S3, a role to be taken on as the operator, where that is not granted",
      () => ({ kind: "s3", bucket: "backups", profile: { config: "[default]\nrole_arn = a\n" } }),
      "s3.awsSecret",
    ],
    [
      "S3, nothing, at a server that is not AWS",
      () => ({ kind: "s3", bucket: "backups", endpoint: "https://minio.example", mayUseOwnIdentity: true }),
      "s3.endpoint",
    ],
    [
      "S3, a role to be taken on as the operator, at a server that is not AWS",
      () => ({
        ...s3("", { endpoint: "minio.example" }),
        profile: { config: "[default]\nrole_arn = a\n" },
        mayUseOwnIdentity: true,
      }),
      "s3.endpoint",
    ],
    [
      "Azure, a connection string",
      () => abs("", `DefaultEndpointsProtocol=https;BlobEndpoint=${EVIL}`),
      "'storage-key'",
    ],
    ["Azure, a shared access signature", () => abs("", "sv=2021-01-01&sig=abc"), "'storage-key'"],
    ["Azure, an account that is a host", () => ({ ...abs(), account: "evil.example/x" }), "'storage-account'"],
    ["Azure, a file", () => abs(`file://${join(dir, "token")}`), "'cloud'"],
  ])("%s", async (_, settings, words) => {
    const message = await used(settings());
    expect(message).toContain(words);
    expect([places(), internet.asked]).toEqual([[], []]);
    expectNoCanary(message);
  });
});

describe("the file that the administrator names for Google", () => {
  const named = async (credentials: unknown) => {
    const file = join(dir, "named.json");
    await writeFile(file, JSON.stringify(credentials));
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    return await used({ kind: "gcs", bucket: "backups", mayUseOwnIdentity: true });
  };
  const exchange = "https://sts.googleapis.com/v1/token";
  const actingAs =
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b.iam.gserviceaccount.com:generateAccessToken";

  test.each<[string, () => object, string[]]>([
    ["a proof in a file", () => externalAccount(), [exchange, STORAGE]],
    [
      "a proof in a file, exchanged in a region",
      () => externalAccount({ token_url: "https://sts.us-east1.rep.googleapis.com/v1/token" }),
      ["https://sts.us-east1.rep.googleapis.com/v1/token", STORAGE],
    ],
    [
      "a service account to act as",
      () => externalAccount({ service_account_impersonation_url: actingAs }),
      [actingAs, exchange, STORAGE],
    ],
  ])("may have %s, and the proof goes to Google's exchange alone", async (_, credentials, expected) => {
    expect(await named(credentials())).toBeUndefined();
    expect(places()).toEqual(expected.sort());
    const elsewhere = internet.sent.filter(({ request }) => !/\/\/sts\./.test(request));
    for (const { text } of elsewhere) expect(text).not.toContain(CANARY);
  });

  test.each<[string, () => object, string]>([
    ["a bucket of anybody", () => externalAccount({ token_url: LOOT }), "'token_url'"],
    ["an address behind the right one", () => externalAccount({ token_url: `${exchange}/../../loot` }), "'token_url'"],
    ["the right address with a query", () => externalAccount({ token_url: `${exchange}?name=loot` }), "'token_url'"],
    [
      "the right address on another port",
      () => externalAccount({ token_url: "https://sts.googleapis.com:8443/v1/token" }),
      "'token_url'",
    ],
    [
      "the right address without TLS",
      () => externalAccount({ token_url: "http://sts.googleapis.com/v1/token" }),
      "'token_url'",
    ],
    [
      "a host that only begins like it",
      () => externalAccount({ token_url: "https://sts.googleapis.com.evil.example/v1/token" }),
      "'token_url'",
    ],
    [
      "a user before another host",
      () => externalAccount({ token_url: "https://sts.googleapis.com@evil.example/v1/token" }),
      "'token_url'",
    ],
    [
      "a bucket to act as",
      () => externalAccount({ service_account_impersonation_url: LOOT }),
      "'service_account_impersonation_url'",
    ],
  ])("sends its proof nowhere where it names %s", async (_, credentials, words) => {
    expect(await named(credentials())).toContain(words);
    expect([places(), internet.asked]).toEqual([[], []]);
  });
});

describe("a redirect is not followed to another host", () => {
  test.each<[string, () => StoreSettings]>([
    ["GCS, a service account", () => gcs(serviceAccount())],
    ["GCS, a token", () => ({ kind: "gcs", bucket: "backups", accessToken: "tenant" })],
    ["S3 of AWS", () => s3("")],
    ["S3, a role", () => s3("role_arn = arn:aws:iam::123456789012:role/backup\n")],
    ["S3, another server", () => s3("", { endpoint: "https://minio.example", forcePathStyle: true })],
    ["Azure", () => abs()],
    ["Azure, another server", () => abs("https://azurite.example")],
    ["OSS", () => oss()],
  ])("%s", async (_, settings) => {
    redirectTo = EVIL;
    await used(settings());
    expect(internet.sent.length).toBeGreaterThan(0);
    expect(internet.asked.join()).not.toContain("evil.example");
    for (const { request } of internet.sent) expect(request).not.toContain("evil.example");
  });
});
