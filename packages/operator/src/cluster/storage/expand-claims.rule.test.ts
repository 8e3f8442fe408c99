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
import { edited } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Action } from "../model/action.ts";
import { plan } from "../plan.ts";

const three = [leader("a"), healthy("b"), healthy("c")];
const claimOf = (storage: string | number) => ({ ...A_CLAIM, resources: { requests: { storage } } });

/** What is planned when claims of 1Gi are to be as large as this. */
function asking(storage: string | number, given: ObservationGiven = {}, spec: object = {}): Action {
  const pod = { persistentVolumeClaimSpec: claimOf(storage) };
  return plan(edited({ members: three, claims: true, ...given }, { pod, ...spec }));
}

/** "a b c 2Gi", or what is done instead. */
function grown(action: Action): string {
  return action.kind === "expand-claims"
    ? [...action.claims.map(({ name }) => name), action.storage].join(" ")
    : action.reason;
}

describe("claims", () => {
  test("grow to what the spec says, all at once", () => {
    assert.equal(grown(asking("2Gi")), "a b c 2Gi");
    assert.equal(grown(asking(4_000_000_000)), "a b c 4000000000");
  });

  test("that are as large or larger are left alone, however it is spelled", () => {
    const sizes = ["1Gi", "1024Mi", "5Gi"];
    const members = three.map((member, index) => ({ ...member, claim: { storage: sizes[index] } }));
    assert.equal(grown(asking("1073741824", { members })), "UpToDate");
    assert.equal(grown(asking("2Gi", { members })), "a b 2Gi");
    const canonical = three.map((member) => ({ ...member, claim: { storage: "1100G" } }));
    assert.equal(grown(asking("1.1T", { members: canonical })), "UpToDate");
  });

  const leftAlone: [what: string, claim: MemberGiven["claim"]][] = [
    ["are going", { isTerminating: true }],
    ["say of no size", { storage: undefined }],
    ["have an unreadable size", { storage: "large" }],
    // Kubernetes refuses another size until the claim is bound, and only then a member can have joined from it.
    ["hold no member's data yet", { memberId: undefined }],
  ];
  for (const [what, claim] of leftAlone) {
    test(`that ${what} are left alone`, () => {
      const members = [leader("a"), healthy("b"), healthy("c", { pod: { memberId: "c" }, claim: { ...claim } })];
      assert.doesNotMatch(grown(asking("2Gi", { members })), /c 2Gi/);
    });
  }

  test("of no member in the list are left alone", () => {
    const members = [...three, healthy("d", { listed: false, pod: null })];
    const kept = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain", whenDeleted: "Retain" } };
    assert.equal(grown(asking("2Gi", { members, size: 3 }, kept)), "a b c 2Gi");
  });
});

describe("a storage class that does not allow it fails every reconcile, so", () => {
  test("whatever else the spec asks for comes first", () => {
    assert.equal(asking("2Gi", {}, { size: 5 }).kind, "declare-join");
    assert.equal(asking("2Gi", {}, { size: 1 }).kind, "remove-member");
    assert.equal(asking("2Gi", { version: "3.5.16" }, { version: "3.5.30" }).kind, "restart-member");
    const lost = [leader("a"), healthy("b"), healthy("c", { pod: null, claim: { isTerminating: true } })];
    assert.equal(asking("2Gi", { members: lost }).kind, "remove-member");
  });

  test("a version that is refused comes after: it keeps nothing from happening", () => {
    assert.equal(grown(asking("2Gi", {}, { version: "3.7.3" })), "a b c 2Gi");
  });
});

describe("a volume that is full may be what everything waits for:", () => {
  const full = (name: string) => unhealthy(name, { pod: { isReady: false, trouble: "no space left on device" } });

  test("without a majority, the claims of those that are down grow", () => {
    const members = [unhealthy("a"), full("b"), full("c")];
    assert.equal(grown(asking("2Gi", { members, membership: "unconfirmed" })), "a b c 2Gi");
  });

  test("in a roll that waits for a member, its claim grows", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: { isReady: true } })];
    assert.equal(grown(asking("2Gi", { members, version: "3.5.16" }, { version: "3.5.30" })), "c 2Gi");
  });

  test("the others' claims wait for their turn", () => {
    const waiting = { members: [leader("a"), healthy("b"), healthy("c")], seen: {} };
    const alarm = { alarms: [{ memberId: "a", kind: "corrupt" as const }] };
    assert.equal(
      grown(asking("2Gi", { ...waiting, version: "3.5.16", seen: alarm }, { version: "3.5.30" })),
      "RolloutWaiting",
    );
  });

  test("in a roll that waits because no space is left, all claims grow", () => {
    const alarm = { alarms: [{ memberId: "a", kind: "no-space" as const }] };
    assert.equal(grown(asking("2Gi", { version: "3.5.16", seen: alarm }, { version: "3.5.30" })), "a b c 2Gi");
  });

  const leftAlone: [what: string, given: ObservationGiven, spec: object][] = [
    ["paused", {}, { paused: true }],
    ["being deleted", { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } }, {}],
    ["of an invalid spec", { seen: { problems: ["spec.size: wrong"] } }, {}],
  ];
  for (const [what, given, spec] of leftAlone) {
    test(`but not in a cluster that is ${what}`, () => {
      const members = [leader("a"), healthy("b"), full("c")];
      const { metadata, ...rest } = given;
      const seen = edited(
        { members, claims: true, ...rest, ...(metadata && { metadata }) },
        { pod: { persistentVolumeClaimSpec: claimOf("2Gi") }, ...spec },
      );
      assert.equal(plan(seen).kind, "hold");
    });
  }
});
