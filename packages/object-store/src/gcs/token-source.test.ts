import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesOf, storeErrorOf, text } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { type GcsFake, startGcsFake } from "@etcd-operator/testing/objectstore/gcs-fake.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { GcsSettings } from "../store-settings.ts";
import { gcsStore } from "./gcs-store.ts";
import type { Environment } from "./token-source.ts";

let fake: GcsFake;
let dir: string;
beforeAll(async () => {
  fake = await startGcsFake();
});
afterAll(() => fake.stop());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "google-credentials-"));
  fake.oauth.issued.length = 0;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const externalAccount = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: join(dir, "proof") },
  ...more,
});

function open(settings: Partial<GcsSettings>, env: Environment = {}) {
  const place = { kind: "gcs", bucket: fake.bucket, endpoint: fake.url, mayUseOwnIdentity: true } as const;
  const store = gcsStore({ ...place, ...settings }, { attempts: 1 }, { HOME: dir, ...env });
  onTestFinished(() => store.close());
  return store;
}

const openWith = (credentials: unknown) => open({ credentialsJson: JSON.stringify(credentials) });

async function openNamed(credentials: unknown) {
  const file = join(dir, "named.json");
  await writeFile(file, JSON.stringify(credentials));
  return open({}, { GOOGLE_APPLICATION_CREDENTIALS: file });
}

async function expectAccess(store: ReturnType<typeof open>): Promise<void> {
  await store.put("key", text("stored"));
  expect((await bytesOf(store.get("key"))).toString()).toBe("stored");
}

describe("an access token", () => {
  test("is shown as it is, without the white space around it", async () => {
    await expectAccess(open({ accessToken: `${fake.oauth.issue("some-user")}\n` }));
  });

  test.each(["", "\n", "two words", "a\u00e9"])("cannot be %o", async (accessToken) => {
    const error = await storeErrorOf(Promise.resolve().then(() => open({ accessToken })));
    expect(error).toMatchObject({ code: "bad-credentials", message: expect.stringContaining("'access-token'") });
  });
});

describe("a service account", () => {
  test("signs for a token, and uses it for everything", async () => {
    await expectAccess(openWith(fake.oauth.serviceAccount()));
    expect(fake.oauth.issued).toEqual(["service account"]);
  });

  test("gets another when its token is not good any more", async () => {
    const store = openWith(fake.oauth.serviceAccount());
    await expectAccess(store);
    fake.oauth.revokeAll();
    await expectAccess(store);
    expect(fake.oauth.issued).toHaveLength(2);
  });

  test("whose key Google does not know is 'bad-credentials'", async () => {
    const account = fake.oauth.serviceAccount();
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const stolen = { ...account, private_key: privateKey.export({ type: "pkcs8", format: "pem" }) };
    const error = await storeErrorOf(openWith(stolen).stat("key"));
    expect(error.code).toBe("bad-credentials");
    expect(error.message).toContain(`'${account.client_email}'`);
    expect(error.message).toContain("invalid_grant");
  });

  test("whose key is none is refused at once", async () => {
    const account = { ...fake.oauth.serviceAccount(), private_key: "-----BEGIN PRIVATE KEY-----\ncanary\n" };
    const error = await storeErrorOf(Promise.resolve().then(() => openWith(account)));
    expect(error.code).toBe("bad-credentials");
    expect(error.message).not.toContain("canary");
  });
});

describe("an external account that the administrator names", () => {
  test("shows what lies in its file", async () => {
    await writeFile(join(dir, "proof"), `${fake.oauth.trustSubject()}\n`);
    await expectAccess(await openNamed(externalAccount()));
    expect(fake.oauth.issued).toEqual(["exchange"]);
  });

  test("shows a field of its file", async () => {
    await writeFile(join(dir, "proof"), JSON.stringify({ id_token: fake.oauth.trustSubject() }));
    const format = { type: "json", subject_token_field_name: "id_token" };
    await expectAccess(await openNamed(externalAccount({ credential_source: { file: join(dir, "proof"), format } })));
  });

  test("shows what an address gives", async () => {
    const provider = createServer((question, answer) => {
      answer.end(question.headers["x-key"] === "value" ? fake.oauth.trustSubject() : "nothing");
    }).listen(0, "127.0.0.1");
    await once(provider, "listening");
    onTestFinished(() => void provider.close());
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/token`;
    await expectAccess(await openNamed(externalAccount({ credential_source: { url, headers: { "x-key": "value" } } })));
  });

  test("acts as a service account", async () => {
    await writeFile(join(dir, "proof"), fake.oauth.trustSubject());
    const url = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:generateAccessToken";
    await expectAccess(await openNamed(externalAccount({ service_account_impersonation_url: url })));
    expect(fake.oauth.issued).toEqual(["exchange", "impersonation"]);
  });

  test("whose proof is not accepted is 'bad-credentials', and the proof is not told", async () => {
    await writeFile(join(dir, "proof"), "canary-of-the-proof");
    const error = await storeErrorOf((await openNamed(externalAccount())).stat("key"));
    expect(error.code).toBe("bad-credentials");
    expect(error.message).not.toContain("canary");
  });

  test("whose file is missing says so", async () => {
    const error = await storeErrorOf((await openNamed(externalAccount())).stat("key"));
    expect(error).toMatchObject({ code: "bad-credentials", message: expect.stringContaining("mount it there") });
  });

  test("whose file lacks the field says so", async () => {
    await writeFile(join(dir, "proof"), JSON.stringify({ other: "canary" }));
    const source = { file: join(dir, "proof"), format: { type: "json", subject_token_field_name: "id_token" } };
    const error = await storeErrorOf((await openNamed(externalAccount({ credential_source: source }))).stat("key"));
    expect(error.code).toBe("bad-credentials");
    expect(error.message).not.toContain("canary");
  });
});

describe("the default credentials", () => {
  test("are those of a file that the environment names", async () => {
    const file = join(dir, "named.json");
    await writeFile(file, JSON.stringify(fake.oauth.serviceAccount()));
    await expectAccess(open({}, { GOOGLE_APPLICATION_CREDENTIALS: file }));
  });

  test("are those that gcloud keeps for a user", async () => {
    await mkdir(join(dir, ".config", "gcloud"), { recursive: true });
    const user = {
      type: "authorized_user",
      client_id: "a",
      client_secret: "b",
      refresh_token: fake.oauth.trustSubject(),
    };
    await writeFile(join(dir, ".config", "gcloud", "application_default_credentials.json"), JSON.stringify(user));
    await expectAccess(open({}));
  });

  test("are those of the machine otherwise", async () => {
    await expectAccess(open({}, { GCE_METADATA_HOST: new URL(fake.url).host }));
    expect(fake.oauth.issued).toEqual(["metadata"]);
  });

  test("cannot be had where there are none, and the message names the way out", async () => {
    const error = await storeErrorOf(open({}, { GCE_METADATA_HOST: "127.0.0.1:9" }).stat("key"));
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("name a Secret") });
  });

  test("that are named and missing are told", async () => {
    const error = await storeErrorOf(open({}, { GOOGLE_APPLICATION_CREDENTIALS: join(dir, "nowhere") }).stat("key"));
    expect(error).toMatchObject({ code: "bad-credentials", message: expect.stringContaining("cannot be read") });
  });
});
