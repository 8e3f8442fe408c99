import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { expect, test } from "vitest";
import { openStore } from "./open-store.ts";
import type { StoreSettings } from "./store-settings.ts";

const keys = { accessKeyId: "id", accessKeySecret: "secret" };
const stores: readonly StoreSettings[] = [
  { kind: "s3", bucket: "backups", mayUseOwnIdentity: true },
  { kind: "oss", bucket: "backups", ...keys },
  { kind: "abs", container: "backups", account: "account", accountKey: "c2VjcmV0" },
  { kind: "gcs", bucket: "backups", accessToken: "secret" },
];

test.each(stores)("a store of kind $kind is opened without asking anybody", async (settings) => {
  const store = await openStore(settings);
  expect(store.description).toContain("'backups'");
  await store.close();
});

test("credentials that cannot be used are told before anything is asked", async () => {
  const profile = { credentials: "nothing" };
  const error = await storeErrorOf(openStore({ kind: "s3", bucket: "backups", profile }));
  expect(error.code).toBe("bad-credentials");
  const oss = await storeErrorOf(openStore({ kind: "oss", bucket: "backups", accessKeyId: "id", accessKeySecret: "" }));
  expect(oss.code).toBe("bad-credentials");
});
