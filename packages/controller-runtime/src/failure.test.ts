import assert from "node:assert/strict";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { LoopUnderTest } from "@etcd-operator/testing/controller/loop-under-test.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { reasonOf } from "./failure.ts";

const done = { kind: "done" } as const;
let loop: LoopUnderTest;

beforeEach(() => {
  loop = new LoopUnderTest();
});
afterEach(() => loop.stop());

describe("a failure", () => {
  test("is logged with its reason, counted, and tried again after growing pauses", async () => {
    loop.start(async () => {
      throw Object.assign(new Error("the disk is full"), { code: "no-space" });
    });
    loop.add("a");
    await loop.clock.advance(0);
    assert.deepEqual(loop.told, ["a took 0", "a failed: no-space"]);
    const { level, thing, reason, retryMs, msg } = loop.lines[0] ?? {};
    assert.deepEqual(
      { level, thing, reason, retryMs, msg },
      {
        level: "warn",
        thing: "a",
        reason: "no-space",
        retryMs: 150,
        msg: "pass failed",
      },
    );
    await loop.clock.advance(60_000);
    const pauses = loop.lines.map((line) => line.retryMs);
    assert.deepEqual(pauses.slice(0, 9), [150, 300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 22_500]);
  });

  test("holds up no other key", async () => {
    loop.start(async (key) => {
      if (key === "bad") throw new Error("no");
      return done;
    });
    for (const key of ["bad", "a", "b"]) loop.add(key);
    await loop.clock.advance(0);
    assert.deepEqual(loop.passes, ["bad", "a", "b"]);
  });

  test("starts from the shortest pause again after a success", async () => {
    let isBroken = true;
    loop.start(async () => {
      if (isBroken) throw new Error("no");
      return done;
    });
    loop.add("a");
    await loop.clock.advance(5_000);
    isBroken = false;
    await loop.clock.advance(60_000);
    isBroken = true;
    loop.add("a");
    await loop.clock.advance(0);
    assert.equal(loop.lines.at(-1)?.retryMs, 150);
  });

  test("leaves the API server alone for as long as that asks", async () => {
    loop.start(async () => {
      const facts = { operation: "GET /", message: "busy", retryAfterMs: 20_000 };
      throw new KubernetesError("too-many-requests", facts);
    });
    loop.add("a");
    await loop.clock.advance(20_000);
    assert.equal(loop.passes.length, 1);
    await loop.clock.advance(200);
    assert.equal(loop.passes.length, 2);
  });

  test("whose own writes wake the key does not spin, and yet a correction is heard within a second", async () => {
    loop.start(async () => {
      loop.add("a");
      throw new Error("no");
    });
    loop.add("a");
    await loop.clock.advance(60_000);
    assert.ok(loop.passes.length <= 65, `${loop.passes.length} loop.passes in a minute`);
    assert.ok(loop.passes.length >= 50, `${loop.passes.length} loop.passes in a minute`);
  });

  test("of an update conflict is not worth a warning", async () => {
    loop.start(async () => {
      throw new KubernetesError("conflict", { operation: "PUT /", message: "changed" });
    });
    loop.add("a");
    await loop.clock.advance(0);
    assert.deepEqual([loop.lines[0]?.level, loop.lines[0]?.reason], ["info", "conflict"]);
  });
});

test("the reason of a failure is its code, its name where it has none, and never empty", () => {
  assert.equal(reasonOf(new KubernetesError("timeout", { operation: "GET /", message: "late" })), "timeout");
  assert.equal(reasonOf(Object.assign(new Error("odd"), { code: 14 })), "Error");
  assert.equal(reasonOf(new TypeError("a bug")), "TypeError");
  assert.equal(reasonOf("a string"), "unknown");
});
