import assert from "node:assert/strict";
import { test } from "vitest";
import { parsePeriodicKey, periodicKey } from "./periodic-keys.ts";

const AT = Date.UTC(2030, 0, 5, 3, 4, 5);

test("a key says the revision and the time, in UTC and as coreos/etcd-operator wrote them", () => {
  assert.equal(periodicKey("etcd/nightly", 42, AT + 999), "etcd/nightly_v42_2030-01-05-03:04:05");
});

test("and is read back", () => {
  for (const key of ["etcd/nightly", "a b+c%20é", "x_v1_2030-01-05-03:04:05"]) {
    const found = periodicKey(key, 100, AT);
    assert.deepEqual(parsePeriodicKey(key, found), { key: found, revision: 100, takenAtMs: AT });
  }
});

test.each([
  "etcd/nightly",
  "etcd/nightly_v42",
  "etcd/nightly_v42_2030-01-05-03:04:05.metadata.json",
  "etcd/nightly_v42_2030-01-05-03:04:05 ",
  "etcd/nightly_v42_2030-01-05-03:04:05_v1_2030-01-05-03:04:05",
  "etcd/nightly_v042_2030-01-05-03:04:05",
  "etcd/nightly_v-1_2030-01-05-03:04:05",
  "etcd/nightly_v4e2_2030-01-05-03:04:05",
  "etcd/nightly_v9007199254740993_2030-01-05-03:04:05",
  "etcd/nightly_v42_2030-02-31-03:04:05",
  "etcd/nightly_v42_2030-01-05-24:00:00",
  "etcd/nightly_v42_2030-01-05T03:04:05",
  "etcd/nightly2_v42_2030-01-05-03:04:05",
  "etcd/nightly-before-3.6_v42_2030-01-05-03:04:05",
  "other/etcd/nightly_v42_2030-01-05-03:04:05",
  "etcd/nightly_safety_12345678",
])("'%s' is none that we would write for 'etcd/nightly'", (found) => {
  assert.equal(parsePeriodicKey("etcd/nightly", found), undefined);
});
