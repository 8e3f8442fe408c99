import assert from "node:assert/strict";
import { test } from "vitest";
import { contains, parseRange, randomIp } from "./ip-range.ts";

const range = parseRange("10.88.128.0/17");

test("a range has all its addresses but the first and the last", () => {
  assert.equal(contains(range, "10.88.128.1"), true);
  assert.equal(contains(range, "10.88.255.254"), true);
  for (const outside of ["10.88.128.0", "10.88.255.255", "10.88.127.1", "10.89.128.1"]) {
    assert.equal(contains(range, outside), false, outside);
  }
});

test("a random address is in the range, and not among those that are chosen by hand", () => {
  assert.equal(
    randomIp(range, () => 0),
    "10.88.129.0",
  );
  assert.equal(
    randomIp(range, () => 0.999_999),
    "10.88.255.254",
  );
});
