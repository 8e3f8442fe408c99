import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  NOW_MS,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { RUNNING, statusAfterPasses, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import { podHash } from "../objects/pod/pod-hash.ts";

const membersOf = (given: ObservationGiven) => statusOf(anObservation(given)).memberStatus ?? [];
const namesOf = (given: ObservationGiven) => membersOf(given).map(({ name }) => name);
const three = [leader("a"), healthy("b"), healthy("c")];

describe("a member's entry", () => {
  const [pod] = anObservation({ members: [leader("a")] }).pods;
  assert.ok(pod);
  const made = { podHash: podHash(pod), servedPodHash: podHash(pod) };

  test("says all that is known of it", () => {
    assert.deepEqual(membersOf({ members: [leader("a")] }), [
      {
        name: "a",
        id: "a",
        role: "Leader",
        version: "3.5.30",
        health: "Healthy",
        ...made,
        databaseSizeBytes: 20_480,
        revision: 100,
      },
    ]);
  });

  test("says which part it has", () => {
    const members = [
      leader("a"),
      healthy("b"),
      unknown("c"),
      healthy("d", { listed: "learner" }),
      unknown("e", { listed: "learner" }),
    ];
    assert.deepEqual(
      membersOf({ members }).map(({ role }) => role),
      ["Leader", "Follower", "Unknown", "Learner", "Learner"],
    );
  });

  test("claims no part for a voter that knows no leader", () => {
    assert.deepEqual(
      membersOf({ members: [unhealthy("a"), gone("b")] }).map(({ role }) => role),
      ["Unknown", "Unknown"],
    );
  });

  test("keeps what a member last said, and since when it has been silent", () => {
    const silent = { members: [leader("a"), healthy("b"), gone("c")] };
    const passes = [
      { members: three, status: RUNNING },
      { ...silent, atMs: 5_000 },
      { ...silent, atMs: 9_000 },
    ] as const;
    assert.deepEqual(statusAfterPasses(...passes).memberStatus?.[2], {
      name: "c",
      id: "c",
      role: "Unknown",
      version: "3.5.30",
      health: "Unknown",
      notHealthySince: "2030-01-01T00:00:05Z",
      ...made,
      databaseSizeBytes: 20_480,
      revision: 100,
    });
  });

  test("says what it was given, and what it last served with", () => {
    const given = { members: [leader("a"), healthy("b"), unknown("c", { pod: { specHash: "v1:new" } })] };
    const entry = statusAfterPasses({ members: three, status: RUNNING }, { ...given, atMs: 5_000 }).memberStatus?.[2];
    assert.deepEqual([entry?.podHash, entry?.servedPodHash], [podHash({ ...pod, specHash: "v1:new" }), podHash(pod)]);
  });
});

describe("the list of members", () => {
  test("has those in etcd's list and those on their way, and no strays", () => {
    const memberIntents = [{ name: "d", incarnation: 1, purpose: "Join" as const }];
    const members = [...three, healthy("stray", { listed: false })];
    assert.deepEqual(namesOf({ members, status: { ...RUNNING, memberIntents } }), ["a", "b", "c", "d"]);
  });

  test("has a member as soon as it is declared, but without an id", () => {
    const seen = anObservation();
    const [entry] = (
      statusOf(seen, { kind: "declare-join", name: "d", reason: "WaitingForMembers", message: "m" }).memberStatus ?? []
    ).slice(3);
    assert.deepEqual(entry, { name: "d", role: "Unknown", health: "Unknown", notHealthySince: "2030-01-01T00:00:00Z" });
  });

  test("survives a time in which no member can be queried", () => {
    const silent = { members: [unknown("a"), gone("b"), unknown("c")], membership: "unknown" } as const;
    const ids = statusAfterPasses({ members: three, status: RUNNING }, silent, silent).memberStatus?.map(
      ({ id }) => id,
    );
    assert.deepEqual(ids, ["a", "b", "c"]);
  });

  test("loses no member to a survivor whose own copy is behind", () => {
    const behind = { members: [unhealthy("a"), gone("b", { listed: false })], membership: "unconfirmed" } as const;
    const status = statusAfterPasses({ members: three, status: RUNNING }, behind);
    assert.deepEqual(
      status.memberStatus?.map(({ name }) => name),
      ["a", "b", "c"],
    );
  });

  test("loses those that a majority does not list any more", () => {
    const status = statusAfterPasses({ members: three, status: RUNNING }, { members: three.slice(0, 2) });
    assert.deepEqual(
      status.memberStatus?.map(({ name }) => name),
      ["a", "b"],
    );
  });

  test("has no ids before the cluster is recorded: an abandoned attempt must leave none behind", () => {
    const status = { incarnation: 1, memberIntents: [{ name: "a", incarnation: 1, purpose: "Seed" as const }] };
    assert.equal(membersOf({ status, members: [leader("a")] })[0]?.id, undefined);
    const record = {
      kind: "record-cluster",
      clusterId: CLUSTER_ID,
      incarnation: 1,
      reason: "WaitingForMembers",
      message: "m",
    } as const;
    assert.equal(statusOf(anObservation({ status, members: [leader("a")] }), record).memberStatus?.[0]?.id, "a");
  });
});

test("a member's entry says since and until when its database was being defragmented, and no more once it is healthy", () => {
  const pod = { answer: { health: "unknown", why: "busy", isDefragmenting: true } } as const;
  const busy = { members: [leader("a"), healthy("b"), unknown("c", { pod })] };
  const noted = (agoMs: number, given: ObservationGiven) => {
    const before = statusAfterPasses({ status: RUNNING }, { ...busy, seen: { nowMs: NOW_MS - agoMs } });
    return membersOf({ ...given, status: before }).find(({ name }) => name === "c")?.defragmenting;
  };
  const at = (agoMs: number) => new Date(NOW_MS - agoMs).toISOString().replace(".000Z", "Z");
  assert.deepEqual(noted(300_000, busy), { since: at(300_000), until: at(0) });
  // It is not written at every look.
  assert.deepEqual(noted(5_000, busy), { since: at(5_000), until: at(5_000) });
  assert.deepEqual(noted(300_000, { members: [leader("a"), healthy("b"), unknown("c")] }), {
    since: at(300_000),
    until: at(300_000),
  });
  assert.equal(noted(300_000, {}), undefined);
});
