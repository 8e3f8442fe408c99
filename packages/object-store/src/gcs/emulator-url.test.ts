import assert from "node:assert/strict";
import { bytesOf, text } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { type GcsFake, startGcsFake } from "@etcd-operator/testing/objectstore/gcs-fake.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { emulatorUrl } from "./emulator-url.ts";
import { gcsStore } from "./gcs-store.ts";

describe("STORAGE_EMULATOR_HOST", () => {
  test.each([
    ["http://emulator:4443", "http://emulator:4443"],
    ["https://emulator:4443", "https://emulator:4443"],
    ["emulator:4443", "http://emulator:4443"],
    ["", undefined],
    [undefined, undefined],
  ])("%o leads to %o", (host, expected) => {
    assert.equal(emulatorUrl({ STORAGE_EMULATOR_HOST: host }), expected);
  });
});

describe("a store of Google's with an emulator in the environment", () => {
  let fake: GcsFake;
  beforeAll(async () => {
    fake = await startGcsFake();
  });
  afterAll(() => fake.stop());

  test.each(["a token", "a service account"])("is the emulator, also for who shows %s", async (shown) => {
    const credentials =
      shown === "a token"
        ? { accessToken: fake.oauth.issue(shown) }
        : { credentialsJson: JSON.stringify(fake.oauth.serviceAccount()) };
    const env = { STORAGE_EMULATOR_HOST: fake.url };
    const store = gcsStore({ kind: "gcs", bucket: fake.bucket, ...credentials }, { attempts: 1 }, env);
    await store.put(shown, text("stored"));
    assert.equal((await bytesOf(store.get(shown))).toString(), "stored");
    await store.close();
  });
});
