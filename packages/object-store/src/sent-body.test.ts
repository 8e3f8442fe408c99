import { bytesOf, content } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { expect, test } from "vitest";
import { idleGuard } from "./idle-guard.ts";
import { sentBody } from "./sent-body.ts";

test("a body is the bytes, in pieces that the guard sees go, and time for what the kernel still holds", async () => {
  const guard = idleGuard(undefined, 60_000);
  const touches: number[] = [];
  const bytes = await bytesOf(content(1_000_000));
  const body = sentBody(bytes, { ...guard, touch: (extraMs = 0) => void touches.push(extraMs) });
  expect((await bytesOf(body)).equals(bytes)).toBe(true);
  expect(touches.length).toBeGreaterThan(10);
  expect(touches.at(-1)).toBeGreaterThan(1_000);
  expect(touches.slice(0, -1).every((extraMs) => extraMs === 0)).toBe(true);
  guard.end();
});

test("an empty body has no pieces", async () => {
  const guard = idleGuard(undefined, 60_000);
  expect(await bytesOf(sentBody(Buffer.alloc(0), guard))).toHaveLength(0);
  guard.end();
});
