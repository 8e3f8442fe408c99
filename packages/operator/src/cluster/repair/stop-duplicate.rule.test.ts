import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { test } from "vitest";
import type { PodSeen } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { stopDuplicate } from "./stop-duplicate.rule.ts";

/** Of three, "a" is healthy, "b" does not answer, and "c" answers as "b". */
function action(
  { b = {}, c = {} }: { b?: Partial<PodSeen>; c?: Partial<PodSeen> } = {},
  first: MemberGiven = leader("a"),
) {
  const home = { memberId: "b", ...b };
  const duplicate = { memberId: "c", answer: { health: "unknown", otherMemberId: "b" }, ...c } as const;
  const members = [first, unknown("b", { pod: home }), unknown("c", { pod: duplicate })];
  return stopDuplicate(situationOf(anObservation({ members, membership: "unconfirmed" })));
}

test("a member on a copy of another's data is stopped when the majority is gone (etcd dies of two that are one)", () => {
  const done = action();
  assert.equal(done?.kind, "stop-duplicate");
  assert.deepEqual([done.pod.name, done.twin.name, done.asMember], ["c", "b", "b"]);
});

test("with a majority it is replaced like any that is lost", () => {
  const duplicate = { memberId: "c", answer: { health: "unknown", otherMemberId: "b" } } as const;
  const members = [leader("a"), healthy("b"), unknown("c", { pod: duplicate })];
  assert.equal(stopDuplicate(situationOf(anObservation({ members }))), undefined);
});

const left: readonly [string, Parameters<typeof action>[0]][] = [
  ["is left alone while the other's pod goes: it may hold the only copy", { b: { isTerminating: true } }],
  ["is left alone where the other's pod has ended", { b: { stage: "ended" } }],
  ["is left alone where the other's own volume was refused", { b: { refusal: "no-data" as never } }],
  ["is left alone where the other's pod was never said to be its home", { b: { memberId: undefined } }],
  [
    "is left alone where each answers as the other: addresses may have been exchanged",
    { b: { answer: { health: "unknown", otherMemberId: "c" } } },
  ],
  ["is not deleted twice", { c: { isTerminating: true } }],
  [
    "of another cluster altogether is no copy of any member",
    { c: { answer: { health: "unknown", otherClusterId: "x" } } },
  ],
];
for (const [name, given] of left) test(`a duplicate ${name}`, () => assert.equal(action(given), undefined));
