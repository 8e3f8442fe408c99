import assert from "node:assert/strict";
import { test } from "vitest";
import { type Image, plainImage } from "../images/image.ts";
import { ImageStore } from "./image-store.ts";

const limits = { baseMs: 10, maxMs: 40 };
const image: Image = { ...plainImage, id: "x" };

test("pods that want the same image share one pulling of it, and later ones find it there", async () => {
  let pulls = 0;
  const find = async () => {
    pulls += 1;
    return image;
  };
  const store = new ImageStore(find, () => 0, limits);
  assert.equal(store.known("i"), undefined);
  const answers = await Promise.all([store.pull("i"), store.pull("i")]);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ["ready", "ready"],
  );
  assert.equal(pulls, 1);
  assert.equal(store.known("i")?.kind, "ready");
});

test("a failure is remembered until the next attempt is due, and each wait is longer", async () => {
  let now = 100;
  const store = new ImageStore(
    () => Promise.reject(new Error("no")),
    () => now,
    limits,
  );
  const waits: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const answer = await store.pull("i");
    assert.ok(answer.kind === "failed" && answer.message === "no");
    assert.equal(store.known("i")?.kind, "failed");
    waits.push(answer.waitMs);
    now = answer.retryAt;
    assert.equal(store.known("i"), undefined);
  }
  assert.deepEqual(waits, [10, 20, 40, 40]);
});
