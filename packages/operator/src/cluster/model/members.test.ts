import assert from "node:assert/strict";
import { anObservation, leader, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { isDuplicate, membersSeen, nameOf } from "./members.ts";
import type { EtcdMember } from "./observation.ts";

const member = (name: string, peerUrl: string): EtcdMember => ({
  id: "1",
  name,
  peerUrls: [peerUrl],
  isLearner: false,
});

describe("a member is called", () => {
  test("like the pod that it was added for, before it has started and after", () => {
    const url = "https://example-abc.example.default.svc.cluster.local:2380";
    assert.equal(nameOf(member("", url)), "example-abc");
    assert.equal(nameOf(member("example-abc", url)), "example-abc");
    const [long, cut] = ["x".repeat(60), `${"x".repeat(52)}-abc`];
    assert.equal(nameOf(member("other", `http://${cut}.${long}.default.svc:2380`)), cut);
  });

  test("so also when it runs in the place of another, whose name it has taken (two volumes that were swapped in place)", () => {
    assert.equal(nameOf(member("example-b", "http://example-a.example.default.svc:2380")), "example-a");
  });

  test("its own name, where another client added it", () => {
    assert.equal(nameOf(member("elsewhere", "http://10.0.0.1:2380")), "elsewhere");
    assert.equal(nameOf(member("elsewhere", "http://node-1.example.com:2380")), "elsewhere");
  });
});

describe("an duplicate", () => {
  const isOne = (answer: object) => {
    const pod = { answer: { health: "unknown", ...answer } } as const;
    const [, seen] = membersSeen(anObservation({ members: [leader("a"), unknown("b", { pod })] }));
    return seen && isDuplicate(seen);
  };

  test("is one that answers for another cluster, or as another member, from a member's pod", () => {
    assert.equal(isOne({ otherClusterId: "c2" }), true);
    assert.equal(isOne({ otherMemberId: "a" }), true);
  });

  test("is not one that does not answer, nor the member itself, whatever is written on its pod", () => {
    assert.equal(isOne({}), false);
    assert.equal(isOne({ otherMemberId: "b" }), false);
  });
});
