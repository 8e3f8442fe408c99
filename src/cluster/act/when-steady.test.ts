import assert from "node:assert/strict";
import { test } from "vitest";
import type { PodSeen } from "../observation.ts";
import { whenSteadyMs } from "./when-steady.ts";

const NOW_MS = 1_000_000;
const waitsMs = (...agesMs: readonly number[]) =>
  whenSteadyMs({ nowMs: NOW_MS, pods: agesMs.map((ageMs) => ({ createdAtMs: NOW_MS - ageMs }) as PodSeen) }, 200);

test("etcd is not asked again before its youngest member can have been connected for as long as it wants", () => {
  assert.equal(waitsMs(90_000, 1_500), 3_500);
});

test("from then on it is asked often, and so it is where all members are old and one was restarted", () => {
  assert.deepEqual([waitsMs(4_900), waitsMs(5_000, 8_000), waitsMs(90_000), waitsMs()], [200, 200, 200, 200]);
});

test("a clock that is behind that of the API server costs no more than what etcd itself wants", () => {
  assert.equal(waitsMs(-60_000), 5_000);
});
