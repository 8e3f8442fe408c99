import assert from "node:assert/strict";
import { anObservation, healthy, leader, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { Observation } from "../model/observation.ts";
import { isAtRest, restAmong } from "./at-rest.ts";

const READY = { isReady: true, asksForLivez: true };

function resting(seen: Partial<Observation> = {}, pod: object = {}): Observation {
  const members = [
    leader("a", { pod: READY }),
    healthy("b", { pod: READY }),
    healthy("c", { pod: { ...READY, ...pod } }),
  ];
  return anObservation({ members, seen });
}

describe("a cluster", () => {
  test("whose members are all healthy is left alone", () => {
    assert.equal(isAtRest(resting()), true);
  });

  const unrest: readonly [string, Observation][] = [
    ["a member that is not ready", resting({}, { isReady: false })],
    ["a member that is about to go", resting({}, { isTerminating: true })],
    ["a member whose probes do not ask whether it reaches a majority", resting({}, { asksForLivez: false })],
    ["an alarm", resting({ alarms: [{ memberId: "1", kind: "no-space" }] })],
    ["a spec that is wrong", resting({ problems: ["spec.size"] })],
    ["members that are not confirmed", resting({ membership: { kind: "unknown" } })],
    ["no pods", resting({ pods: [] })],
    ["foreign pods", resting({ strangers: { leftoverPods: [], foreignPods: ["x"] } })],
    [
      "a member that was not reached",
      anObservation({ members: [leader("a", { pod: READY }), unknown("b", { pod: READY })] }),
    ],
  ];
  for (const [what, seen] of unrest) {
    test(`with ${what} needs a closer eye`, () => assert.equal(isAtRest(seen), false));
  }
});

test("the more clusters there are, the longer each is left alone, within bounds", () => {
  assert.deepEqual([1, 120, 500, 1_000, 5_000].map(restAmong), [60_000, 60_000, 250_000, 500_000, 500_000]);
});
