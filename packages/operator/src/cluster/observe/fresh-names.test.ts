import assert from "node:assert/strict";
import { test } from "vitest";
import { freshNames } from "./fresh-names.ts";

test("there are as many fresh names as a cluster can have members, all of them different", () => {
  let calls = 0;
  const names = freshNames("example", () => (calls++ * 0.618) % 1);
  assert.equal(new Set(names).size, 7);
  for (const name of names) assert.match(name, /^example-[a-z0-9]{10}$/);
});

test("every character can come up, and none beyond them", () => {
  assert.equal(freshNames("example", () => 0)[0], "example-aaaaaaaaaa");
  assert.equal(freshNames("example", () => 1 - Number.EPSILON)[0], "example-9999999999");
});
