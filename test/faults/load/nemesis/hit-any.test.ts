import assert from "node:assert/strict";
import { test } from "vitest";
import { hitAny } from "./hit-any.ts";

const miss = () => Promise.reject(new Error("pod a runs no etcd"));

test("one hit of several is enough", async () => {
  await hitAny([miss(), Promise.resolve()]);
});

test("where no member was hit, it says why", async () => {
  await assert.rejects(hitAny([miss(), miss()]), /no member was hit: .*pod a runs no etcd/);
});

test("where there was no member to hit, nothing was done", async () => {
  await assert.rejects(hitAny([]), /no member was hit: there was none/);
});
