import assert from "node:assert/strict";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited, given as givenVersion, noted } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Action } from "../model/action.ts";
import type { Observation, PodSeen } from "../model/observation.ts";
import { plan } from "../plan.ts";

const pullFails = { isEtcdRunning: false, isReady: false, trouble: "ErrImagePull" };
const crashes = { isEtcdRunning: false, isReady: false, trouble: "keeps ending" };
const starting = { isEtcdRunning: false, isReady: false, stage: "pending" } as const;
const idle = (name: string, pod: Partial<PodSeen>) => unknown(name, { pod });

/** Members that ran 3.5.16, and for which the spec now asks for another version. */
function wanting(version: string, members: readonly MemberGiven[], more: ObservationGiven = {}): Observation {
  const status = noted(Object.fromEntries(members.map(({ name }) => [name, "3.5.16"])));
  return edited({ members, version: "3.5.16", status, ...more }, { version });
}

/** "b gets 3.5.30", "b gets a pod", or why nothing is done. */
function done(action: Action): string {
  if (action.kind !== "restart-member") return action.reason;
  const { member, change } = action;
  return `${member.name} gets ${change.kind === "image" ? change.version : "a pod"}`;
}

test.each([true, false])(
  "an only voter that has an image by hand gets its own back in its pod, with its data (claims: %s)",
  (claims) => {
    const byHand = { ...crashes, image: "by-hand", askedImage: "quay.io/coreos/etcd:v3.5.16" };
    const action = plan(wanting("3.5.16", [idle("a", byHand)], { size: 1, claims, membership: "unconfirmed" }));
    assert.equal(done(action), "a gets 3.5.16");
  },
);

describe("a version that does not start", () => {
  const stuck = [leader("a"), idle("b", pullFails), healthy("c")];

  test("is corrected and withdrawn at once on the member that has it", () => {
    assert.equal(done(plan(givenVersion("3.5.99", wanting("3.5.30", stuck), "b"))), "b gets 3.5.30");
    assert.equal(done(plan(givenVersion("3.5.99", wanting("3.5.16", stuck), "b"))), "b gets 3.5.16");
  });

  test("is corrected without a majority too: it may be what brings the majority back", () => {
    const members = [leader("a", { health: "unhealthy" }), idle("b", pullFails), unknown("c", { pod: null })];
    const seen = wanting("3.5.16", members, { membership: "unconfirmed" });
    assert.equal(done(plan(givenVersion("3.5.99", seen, "b"))), "b gets 3.5.16");
  });

  test.each([
    ["with a majority", stuck, { claims: true }],
    [
      "without one",
      [unhealthy("a"), idle("b", pullFails), idle("c", pullFails)],
      { claims: true, membership: "unconfirmed" },
    ],
  ] as const)(
    "is withdrawn %s also where the next minor was asked for meanwhile, which has to wait",
    (_, members, more) => {
      const status = noted({ a: "3.5.32", b: "3.5.32", c: "3.5.32" });
      const seen = edited({ members, version: "3.5.32", status, ...more }, { version: "3.6.16" });
      const action = plan(givenVersion("3.5.99", seen, "b"));
      assert.equal(done(action), "b gets 3.5.32");
      assert.equal(action.kind === "restart-member" && action.leavesMinor, undefined);
    },
  );

  test("is given to no other member, though another one is down as well", () => {
    const members = [leader("a"), idle("b", pullFails), idle("c", crashes), healthy("d"), healthy("e")];
    const seen = givenVersion("3.5.99", wanting("3.5.99", members), "b");
    assert.equal(done(plan(seen)), "RolloutWaiting");
  });

  test("is not given to a member that has just come back with what it ran", () => {
    const members = [leader("a"), idle("b", pullFails), idle("c", starting), healthy("d"), healthy("e")];
    const seen = givenVersion("3.5.99", wanting("3.5.99", members, { claims: true }), "b");
    assert.equal(done(plan(seen)), "RolloutWaiting");
  });
});

describe("an image that does not exist", () => {
  const typo = "registry.example/typo:v3.5.16";
  const withTypo = (seen: Observation, ...names: string[]) => ({
    ...seen,
    pods: seen.pods.map((pod) => (names.includes(pod.name) ? { ...pod, image: typo, awaitsNewImage: true } : pod)),
  });
  const members = [leader("a"), idle("b", pullFails), idle("c", pullFails), unknown("d")];

  test("is corrected on all that have it, though the version was right all the time", () => {
    const without = { membership: "unconfirmed" } as const;
    assert.equal(done(plan(withTypo(wanting("3.5.16", members, without), "b", "c"))), "b gets 3.5.16");
    assert.equal(done(plan(withTypo(wanting("3.5.16", members, without), "c"))), "c gets 3.5.16");
  });

  test("is corrected also where the next minor was asked for meanwhile, which has to wait", () => {
    const action = plan(
      withTypo(wanting("3.6.16", [leader("a"), idle("b", pullFails), healthy("c")], { size: 1 }), "b"),
    );
    assert.equal(done(action), "b gets 3.5.16");
    assert.equal(action.kind === "restart-member" && action.leavesMinor, undefined);
  });
});

describe("members that all crash", () => {
  const crashing = [unhealthy("a"), idle("b", crashes), idle("c", crashes)];
  const without = { membership: "unconfirmed" } as const;

  test("get a version that may fix it one after the other, without a majority", () => {
    const seen = wanting("3.5.30", crashing, without);
    assert.equal(done(plan(seen)), "b gets 3.5.30");
    const pulling = givenVersion("3.5.30", seen, "b");
    assert.equal(done(plan(pulling)), "NoQuorum");
    const pods = pulling.pods.map((pod) => (pod.name === "b" ? { ...pod, isEtcdRunning: true } : pod));
    assert.equal(done(plan({ ...pulling, pods })), "c gets 3.5.30");
  });

  test("do not get another minor that way, which was not checked", () => {
    assert.equal(done(plan(wanting("3.6.16", crashing, without))), "NoQuorum");
  });
});

describe("a pod of an earlier spec in which nothing runs", () => {
  const edit = { pod: { nodeSelector: { disk: "ssd" }, persistentVolumeClaimSpec: A_CLAIM } };
  const noVolumeYet = { ...starting, stage: "running" } as const;
  const lost = [leader("a", { health: "unhealthy" }), idle("b", noVolumeYet), unknown("c")];

  test("is recreated on its volume, with a majority or without one", () => {
    const given = { members: lost, claims: true, membership: "unconfirmed" } as const;
    assert.equal(done(plan(edited(given, edit))), "b gets a pod");
  });

  test("is left alone without a volume: its data may still be there", () => {
    const given = { members: [leader("a"), idle("b", crashes), healthy("c")] };
    assert.equal(done(plan(edited(given, { pod: { nodeSelector: { disk: "ssd" } } }))), "RolloutWaiting");
  });

  test("is not recreated for a version that its flags do not fit: it came back with what it ran", () => {
    const members = [leader("a"), idle("b", starting), unknown("c"), healthy("d"), healthy("e")];
    const seen = edited(
      { members, claims: true, version: "3.6.16", status: noted({ b: "3.6.16" }) },
      { version: "3.7.3" },
    );
    const flags = ["--experimental-initial-corrupt-check=true"];
    assert.equal(done(plan({ ...seen, pods: seen.pods.map((pod) => ({ ...pod, flags })) })), "RolloutWaiting");
  });
});

test("a cluster that is not recorded yet is left to the rules that bootstrap it", () => {
  const seen = edited({ members: [idle("a", crashes)], version: "3.5.16", status: {} }, { version: "3.5.30" });
  assert.notEqual(plan(seen).kind, "restart-member");
});
