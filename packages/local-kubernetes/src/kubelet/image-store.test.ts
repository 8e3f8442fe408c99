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

test("what takes long is told to every pod that waits, also to one that comes later, and to none afterwards", async () => {
  let [tell, done] = [(_: string): void => undefined, (_: Image): void => undefined];
  const store = new ImageStore(
    (_, listener) => {
      tell = listener;
      return new Promise((resolve) => {
        done = resolve;
      });
    },
    () => 0,
    limits,
  );
  const heard: string[] = [];
  const first = store.pull("i", (line) => heard.push(`first: ${line}`));
  tell("building");
  const second = store.pull("i", (line) => heard.push(`second: ${line}`));
  tell("checking");
  done(image);
  await Promise.all([first, second]);
  tell("late");
  assert.deepEqual(heard, ["first: building", "second: building", "first: checking", "second: checking"]);
});
