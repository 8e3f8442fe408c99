import assert from "node:assert/strict";
import { test } from "vitest";
import { hitAny } from "./hit-any.ts";

const miss = () => Promise.reject(new Error("pod a runs no etcd"));

test("one hit of several is enough", async () => {
  await hitAny([miss(), Promise.resolve()]);
});

test("where nobody was hit, it says why", async () => {
  await assert.rejects(hitAny([miss(), miss()]), /nobody was hit: .*pod a runs no etcd/);
});

test("where there was nobody to hit, nothing was done", async () => {
  await assert.rejects(hitAny([]), /nobody was hit: there was nobody/);
});
