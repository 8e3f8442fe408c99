import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { expect, test } from "vitest";
import { checkedKey } from "./checked-key.ts";

test.each(["a", "a/b", ".hidden", "..two", "a/three...", "a//b", "a/", "%2e%2e"])("'%s' is a key", (key) => {
  expect(checkedKey(key, "put")).toBe(key);
});

test.each(["", ".", "..", "a/../b", "../a", "a/.", "./a"])(
  "'%s' is none, for an address would lead elsewhere",
  async (key) => {
    const checked = Promise.resolve().then(() => checkedKey(key, "put test"));
    expect(await storeErrorOf(checked)).toMatchObject({ code: "invalid", operation: "put test" });
  },
);
