import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { anObservation, healthy, leader, NOW_MS } from "../../../test/support/cluster/an-observation.ts";
import { systemClock } from "../../kubernetes/clock.ts";
import { listedMembers } from "../members.ts";
import type { EtcdMember, Observation } from "../observation.ts";
import type { Voter } from "../quorum.ts";
import { type Postponed, postponed } from "./postponed.ts";
import { lookAfter, lookForSurplus } from "./surplus-look.ts";
import type { Work } from "./work.ts";

const FIVE = [leader("a"), healthy("b"), healthy("c"), healthy("d"), healthy("e")];
const SEEN = anObservation({ size: 3, members: FIVE });
const [D, E] = [
  { name: "d", id: "d" },
  { name: "e", id: "e" },
];

describe("what members have answered in this pass", () => {
  test("holds for all that are to go, if one more of those who stay could fail", async () => {
    const { work, askedAgain } = at(SEEN);
    const { look } = await lookForSurplus(work, D, [E]);
    assert.ok(look.kind === "list");
    assert.deepEqual(
      look.voters.map(({ name, isUp }) => [name, isUp]),
      ["a", "b", "c", "d", "e"].map((name) => [name, true]),
    );
    assert.equal(askedAgain(), false);
  });

  const doubts: Record<string, Parameters<typeof at>> = {
    "is old": [SEEN, { nowMs: NOW_MS + 501 }],
    "is from the future": [SEEN, { nowMs: NOW_MS - 1 }],
    "is not that all who stay are well": [
      anObservation({ size: 3, members: [...FIVE.slice(0, 2), healthy("c", { health: "unknown" }), ...FIVE.slice(3)] }),
    ],
    "is of others than there are now": [SEEN, { members: listedMembers(SEEN).slice(1) }],
    "is of one whose pod goes": [SEEN, { leaving: "b" }],
  };
  for (const [doubt, given] of Object.entries(doubts)) {
    test(`does not hold when it ${doubt}: members are asked again`, async () => {
      const { work, askedAgain } = at(...given);
      const { look } = await lookForSurplus(work, D, [E]);
      assert.ok(look.kind === "list");
      assert.deepEqual([look.voters, askedAgain()], [ANSWERED_AGAIN, true]);
    });
  }

  test("is nothing to go by where so few stay that none may fail", async () => {
    const { work, askedAgain } = at(anObservation({ size: 2, members: FIVE.slice(0, 4) }));
    await lookForSurplus(work, { name: "c", id: "c" }, [D]);
    assert.equal(askedAgain(), true);
  });

  test("is nothing to go by when somebody has edited the cluster, whatever it was", async () => {
    const change = postponed("EtcdCluster example has changed");
    const { work } = at(SEEN, { change });
    assert.deepEqual((await lookForSurplus(work, D, [E])).look, change);
  });
});

describe("after a removal", () => {
  const left = listedMembers(SEEN).filter(({ id }) => id !== "d");

  test("a look holds for the next one, with those who are left", async () => {
    const { work } = at(SEEN);
    const { look } = await lookForSurplus(work, D, [E]);
    const next = lookAfter(work, { member: D, others: [E], look, removed: { kind: "removed", left } });
    assert.ok(next?.kind === "list");
    assert.deepEqual(next.members, left);
    assert.deepEqual(
      next.voters.map(({ name }) => name),
      ["a", "b", "c", "e"],
    );
  });

  test("there has to be another look when others are left than should be, or nobody has told", async () => {
    const { work } = at(SEEN);
    const { look } = await lookForSurplus(work, D, [E]);
    for (const told of [left.slice(1), undefined]) {
      const removed = { kind: "removed", ...(told && { left: told }) } as const;
      assert.equal(lookAfter(work, { member: D, others: [E], look, removed }), undefined);
    }
  });

  test("there has to be another look when it has taken long", async () => {
    const { look } = await lookForSurplus(at(SEEN).work, D, [E]);
    const { work } = at(SEEN, { nowMs: NOW_MS + 501 });
    assert.equal(lookAfter(work, { member: D, others: [E], look, removed: { kind: "removed", left } }), undefined);
  });
});

const ANSWERED_AGAIN: readonly Voter[] = [];

interface Given {
  readonly nowMs?: number;
  /** The list as etcd gives it now. */
  readonly members?: readonly EtcdMember[];
  /** Whose pod is told to go, which the cache has not seen. */
  readonly leaving?: string;
  readonly change?: Postponed;
}

/** Everything that a look can reach, and whether members were asked how they are. */
function at(seen: Observation, { nowMs = NOW_MS, members = listedMembers(seen), leaving, change }: Given = {}) {
  let wasAsked = false;
  const pods = leaving ? [{ metadata: { name: leaving, deletionTimestamp: "2030-01-01T00:00:00Z" } }] : [];
  const work = {
    seen,
    clock: { ...systemClock, now: () => nowMs },
    live: { clusterHasChanged: async () => change, labelled: async () => pods },
    etcd: {
      members: async () => ({ kind: "list", members, via: {} }),
      voters: async () => {
        wasAsked = true;
        return ANSWERED_AGAIN;
      },
    },
  } as unknown as Work;
  return { work, askedAgain: () => wasAsked };
}
