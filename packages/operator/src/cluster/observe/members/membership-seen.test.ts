import assert from "node:assert/strict";
import type { EtcdClient, MemberStatus } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import { describe, test } from "vitest";
import type { Reached } from "./ask-member.ts";
import { membershipSeen } from "./membership-seen.ts";

const QUESTION = { clusterId: "1", timeoutMs: 2_000, signal: new AbortController().signal };

/** Each member lists a single one, with its own name: so the list shows which member was asked. */
interface MemberGiven {
  readonly name: string;
  readonly id?: bigint;
  readonly clusterId?: bigint;
  readonly leaderId?: bigint;
  readonly raftIndex?: bigint;
  readonly isLearner?: boolean;
  readonly isHealthy?: boolean;
  /** Which of the two ways of asking fails. */
  readonly fails?: "linearizable" | "both";
}

describe("the member that is asked for the list of members", () => {
  const cases: [what: string, members: MemberGiven[], kind: string, asked: string | undefined][] = [
    ["the leader", [{ name: "a" }, { name: "b", id: 7n, leaderId: 7n }], "confirmed", "b"],
    ["any healthy voter when the leader was not reached", [{ name: "a" }, { name: "b" }], "confirmed", "a"],
    ["the next one when the first fails", [{ name: "a", fails: "both" }, { name: "b" }], "confirmed", "b"],
    ["no learner", [{ name: "a", isLearner: true }, { name: "b" }], "confirmed", "b"],
    [
      "no member that has not read through a majority",
      [{ name: "a", isHealthy: false }, { name: "b" }],
      "confirmed",
      "b",
    ],
    [
      "without a majority, the one that has come furthest",
      [
        { name: "a", isHealthy: false, raftIndex: 5n },
        { name: "b", isHealthy: false, raftIndex: 9n },
      ],
      "unconfirmed",
      "b",
    ],
    [
      "a healthy one's own copy, when the majority has gone in between",
      [
        { name: "a", isHealthy: false, raftIndex: 5n },
        { name: "b", raftIndex: 9n, fails: "linearizable" },
      ],
      "unconfirmed",
      "b",
    ],
    ["no member, when there are only learners", [{ name: "a", isLearner: true }], "unknown", undefined],
    ["no member that fails", [{ name: "a", fails: "both" }], "unknown", undefined],
    ["no member, when they are of two clusters", [{ name: "a" }, { name: "b", clusterId: 2n }], "unknown", undefined],
    ["no member, when none was reached", [], "unknown", undefined],
  ];
  for (const [what, members, kind, asked] of cases) {
    test(what, async () => {
      const seen = await membershipSeen(members.map(aMember), QUESTION);
      assert.equal(seen.kind, kind);
      const expected = { id: "ff", name: asked, peerUrls: ["http://x:2380"], isLearner: false };
      if (seen.kind !== "unknown") assert.deepEqual(seen.members, [expected]);
    });
  }
});

function aMember(given: MemberGiven): Reached {
  const { name, id = 1n, clusterId = 1n, leaderId = 99n, raftIndex = 1n, isLearner = false, isHealthy = true } = given;
  const members: EtcdClient["members"] = async ({ linearizable = true, expectClusterId } = {}) => {
    assert.equal(expectClusterId, clusterId);
    const isFailing = given.fails === "both" || (linearizable && given.fails === "linearizable");
    if (isFailing) throw new EtcdError("unavailable", { operation: "members", endpoint: name, reason: "gone" });
    return [{ id: 255n, name, peerUrls: ["http://x:2380"], clientUrls: [], isLearner: false }];
  };
  const status = { clusterId, memberId: id, leaderId, raftIndex, isLearner } as MemberStatus;
  return { client: { members } as EtcdClient, status, isHealthy };
}
