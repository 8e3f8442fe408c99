import assert from "node:assert/strict";
import { test } from "vitest";
import { type Part, prepare } from "./prepare.ts";

test("every part is got once, in order, and what the machine lacks is said", async () => {
  const screen = aScreen();
  const got: string[] = [];
  const part = (name: string): Part => ({ name, get: async () => got.push(name) });
  await prepare([part("etcd 3.5.16"), { ...part("etcd 3.6.16"), obstacle: "needs Go" }, part("kubectl")], screen);
  assert.deepEqual(got, ["etcd 3.5.16", "kubectl"]);
  assert.deepEqual(screen.lines, [
    "[1/3] etcd 3.5.16: ready (0 s)",
    "[2/3] etcd 3.6.16: left out, its tests are skipped: needs Go",
    "[3/3] kubectl: ready (0 s)",
  ]);
});

test("a part that fails is tried again, each time later", async () => {
  const screen = aScreen();
  let failures = 2;
  const get = async () => {
    if (failures-- > 0) throw new Error("connection reset");
  };
  await prepare([{ name: "versitygw", get }], screen);
  assert.deepEqual(screen.pauses, [5_000, 10_000]);
  assert.match(screen.lines[0] ?? "", /attempt 1 of 3 failed, next in 5 s: connection reset/);
  assert.match(screen.lines.at(-1) ?? "", /ready \(15 s\)/);
});

test("a part that cannot be obtained fails the preparation, by its name", async () => {
  const never = { name: "kubectl", get: () => Promise.reject(new Error("no route")) };
  await assert.rejects(prepare([never], aScreen()), (error: Error) => {
    assert.equal(error.message, "[1/1] kubectl cannot be had");
    assert.match(String(error.cause), /no route/);
    return true;
  });
});

function aScreen() {
  const lines: string[] = [];
  const pauses: number[] = [];
  let atMs = 0;
  return {
    ...{ lines, pauses, say: (line: string) => lines.push(line), now: () => atMs },
    pause: async (ms: number) => {
      pauses.push(ms);
      atMs += ms;
    },
  };
}
