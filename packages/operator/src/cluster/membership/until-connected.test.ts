import assert from "node:assert/strict";
import { anObservation, gone, healthy, leader, NOW_MS } from "@etcd-operator/testing/cluster/an-observation.ts";
import { test } from "vitest";
import { untilConnectedMs } from "./until-connected.ts";

const aged = (agoMs: number) => ({ pod: { createdAtMs: NOW_MS - agoMs } });
const waitsMs = (...agesMs: readonly [number, number]) => {
  const members = [leader("a", aged(agesMs[0])), healthy("b", aged(agesMs[1]))];
  return untilConnectedMs(anObservation({ members }), 200);
};

test("etcd is not asked again before its youngest member can have been connected for as long as it requires", () => {
  assert.equal(waitsMs(90_000, 1_500), 3_500);
});

test("from then on it is asked often, and so it is where all members are old and one was restarted", () => {
  assert.deepEqual([waitsMs(4_900, 9_000), waitsMs(5_000, 8_000), waitsMs(90_000, 90_000)], [200, 200, 200]);
});

test("pods of no member in the list, and members without one, do not count", () => {
  const stray = healthy("c", { listed: false, pod: { createdAtMs: NOW_MS } });
  assert.equal(untilConnectedMs(anObservation({ members: [leader("a", aged(90_000)), gone("b"), stray] }), 200), 200);
});

test("a clock that is behind that of the API server costs five seconds a try, and no more", () => {
  assert.equal(waitsMs(-60_000, 90_000), 5_000);
});
