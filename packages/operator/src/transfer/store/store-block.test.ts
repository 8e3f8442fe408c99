import { ObjectStoreError } from "@etcd-operator/object-store";
import { expect, test } from "vitest";
import { pathIn, type StoreSpec, storeBlockOf } from "./store-block.ts";

test.each<[string, string, StoreSpec, string]>([
  ["S3", "bucket/a/b", { s3: { path: "bucket/a/b" } }, "a/b"],
  ["ABS", "container/key", { abs: { path: "container/key", absSecret: "s" } }, "key"],
  ["GCS", "bucket/with a space", { gcs: { path: "bucket/with a space" } }, "with a space"],
  ["OSS", "bucket/a//b", { oss: { path: "bucket/a//b", ossSecret: "s" } }, "a//b"],
  ["Volume", "a/b", { volume: { claimName: "c", path: "a/b" } }, "a/b"],
])("%s: '%s' is taken apart, and put together again", (type, path, spec, key) => {
  const block = storeBlockOf(spec);
  expect([block.type, block.key, pathIn(block, block.key)]).toEqual([type, key, path]);
});

test("a spec without a block says which one is missing", () => {
  const open = () => storeBlockOf({ storageType: "S3" });
  expect(open).toThrow(ObjectStoreError);
  expect(open).toThrow("'S3'");
});
