import assert from "node:assert/strict";
import { systemClock } from "@etcd-operator/kubernetes-client";
import { anObservation, healthy, leader, type MemberGiven } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { listedMembers } from "../model/members.ts";
import type { EtcdMember, Observation } from "../model/observation.ts";
import type { Voter } from "../model/quorum.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { lookAfter, lookForSurplus } from "./surplus-check.act.ts";

const ASKED_AT_MS = 1_000;
const FIVE = [leader("a"), healthy("b"), healthy("c"), healthy("d"), healthy("e")];
const SEEN = seenWith(FIVE);
const [D, E] = [
  { name: "d", id: "d" },
  { name: "e", id: "e" },
];
const ANSWERED_AGAIN: readonly Voter[] = [];

describe("what members have answered in this reconcile", () => {
  test("holds for all members to be removed, if one more of the remaining ones could fail", async () => {
    const { look } = await lookForSurplus(at(SEEN), D, [E]);
    assert.ok(look.kind === "list");
    assert.deepEqual(
      look.voters.map(({ name, isUp }) => [name, isUp]),
      ["a", "b", "c", "d", "e"].map((name) => [name, true]),
    );
  });

  const duplicate = { answer: { health: "healthy", status: { memberId: "f" } } } as unknown as MemberGiven["pod"];
  const doubts: Record<string, Parameters<typeof at>> = {
    "is old": [SEEN, { ageMs: 501 }],
    "was given who knows when": [{ ...SEEN, askedAtMs: undefined } as unknown as Observation],
    "is not that all who stay are well": [
      seenWith([...FIVE.slice(0, 2), healthy("c", { health: "unknown" }), ...FIVE.slice(3)]),
    ],
    "is another's in the place of one": [
      seenWith([...FIVE.slice(0, 2), healthy("c", { pod: duplicate ?? null }), ...FIVE.slice(3)]),
    ],
    "is of others than there are now": [SEEN, { members: listedMembers(SEEN).slice(1) }],
    "is of one whose pod goes": [SEEN, { leaving: "b" }],
    "is of one whose pod is gone": [SEEN, { gone: "b" }],
    "is of so few who stay that none may fail": [seenWith(FIVE.slice(1))],
  };
  for (const [doubt, given] of Object.entries(doubts)) {
    test(`does not hold when it ${doubt}: members are asked again`, async () => {
      const { look } = await lookForSurplus(at(...given), D, [E]);
      assert.ok(look.kind === "list");
      assert.equal(look.voters, ANSWERED_AGAIN);
    });
  }

  test("is not used when the cluster was edited, whatever it was", async () => {
    const change = postponed("EtcdCluster example has changed");
    assert.deepEqual((await lookForSurplus(at(SEEN, { change }), D, [E])).look, change);
  });
});

describe("the pods of those that go", () => {
  const names = async (given: Parameters<typeof at>[1] = {}) => {
    const { pods } = await lookForSurplus(at(SEEN, given), D, [E]);
    return [...pods].map(([id, { metadata }]) => [id, metadata.name]);
  };

  test("are identified by the ids of their members", async () => {
    assert.deepEqual(await names(), [
      ["d", "d"],
      ["e", "e"],
    ]);
  });

  test("are not used when they are being deleted, have changed, or are of another member", async () => {
    assert.deepEqual(await names({ leaving: "d" }), [["e", "e"]]);
    assert.deepEqual(await names({ remade: "d" }), [["e", "e"]]);
    assert.deepEqual(await names({ holdsAnother: "e" }), [["d", "d"]]);
  });
});

describe("after a removal", () => {
  const left = listedMembers(SEEN).filter(({ id }) => id !== "d");
  const looked = async (work: Work, told: readonly EtcdMember[] | undefined = left, from = "a") => {
    const { look } = await lookForSurplus(at(SEEN, { from }), D, [E]);
    const removed = { kind: "removed", ...(told && { left: told }) } as const;
    return lookAfter(work, { member: D, others: [E], look, removed });
  };

  test("a check holds for the next one, with the remaining members", async () => {
    const next = await looked(at(SEEN));
    assert.ok(next?.kind === "list");
    assert.deepEqual(next.members, left);
    assert.deepEqual(
      next.voters.map(({ name }) => name),
      ["a", "b", "c", "e"],
    );
  });

  test("there has to be another look when others are left than should be, or it has taken long", async () => {
    assert.equal(await looked(at(SEEN), left.slice(1)), undefined);
    assert.equal(await looked(at(SEEN, { ageMs: 501 })), undefined);
  });

  test("another check is needed when the remaining members are unknown", async () => {
    const { look } = await lookForSurplus(at(SEEN), D, [E]);
    assert.equal(lookAfter(at(SEEN), { member: D, others: [E], look, removed: { kind: "removed" } }), undefined);
  });

  test("another check is needed when its answer came through one that is removed itself", async () => {
    assert.equal(await looked(at(SEEN), left, "d"), undefined);
    assert.equal(await looked(at(SEEN), left, "e"), undefined);
  });
});

function seenWith(members: readonly MemberGiven[]): Observation {
  return { ...anObservation({ size: 3, members }), askedAtMs: ASKED_AT_MS };
}

interface Given {
  /** How long ago members were asked. */
  readonly ageMs?: number;
  /** The list as etcd gives it now, and the member that gives it. */
  readonly members?: readonly EtcdMember[];
  readonly from?: string;
  /** Whose pod is not as the cache has it: terminating, gone, another of the same name, with another member in it. */
  readonly leaving?: string;
  readonly gone?: string;
  readonly remade?: string;
  readonly holdsAnother?: string;
  readonly change?: Postponed;
}

/** Everything that a check can reach. */
function at(seen: Observation, given: Given = {}): Work {
  const { ageMs = 0, members = listedMembers(seen), from = "a", change } = given;
  const list = { kind: "list", members, via: {}, from };
  return {
    seen,
    clock: { ...systemClock, monotonic: () => ASKED_AT_MS + ageMs },
    live: { clusterHasChanged: async () => change, labelled: async () => livePods(seen, given) },
    etcd: {
      members: async () => list,
      membersAndVoters: async () => ({ ...list, voters: ANSWERED_AGAIN }),
    },
  } as unknown as Work;
}

function livePods({ pods, cluster }: Observation, { leaving, gone, remade, holdsAnother }: Given) {
  const { uid } = cluster.metadata;
  return pods
    .filter(({ name }) => name !== gone)
    .map((pod) => ({
      metadata: {
        name: pod.name,
        uid: pod.name === remade ? "another" : pod.uid,
        ownerReferences: [{ uid, controller: true }],
        annotations: {
          [ANNOTATIONS.memberId]: pod.name === holdsAnother ? "f" : pod.name,
          [ANNOTATIONS.clusterId]: cluster.status?.clusterID,
        },
        ...(pod.name === leaving && { deletionTimestamp: "2030-01-01T00:00:00Z" }),
      },
    }));
}
