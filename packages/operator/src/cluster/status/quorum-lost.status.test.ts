import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  NOW_MS,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import {
  conditionIn,
  RUNNING,
  statusAfterPasses,
  statusOf,
  verdictIn,
} from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";

const silent = { members: [unknown("a"), unknown("b"), unknown("c")], membership: "unknown" } as const;

describe("QuorumLost", () => {
  test("is False while a majority is healthy", () => {
    const seen = anObservation({ members: [leader("a"), healthy("b"), gone("c")] });
    assert.equal(verdictIn(statusOf(seen), "QuorumLost"), "False MajorityHealthy");
  });

  test("is False at first, because members may only be slow, and True after five seconds", () => {
    const passes = [{}, { ...silent, atMs: 1_000 }, { ...silent, atMs: 5_999 }, { ...silent, atMs: 6_000 }] as const;
    assert.equal(verdictIn(statusAfterPasses(...passes.slice(0, 2)), "QuorumLost"), "False QuorumLossPending");
    assert.equal(verdictIn(statusAfterPasses(...passes.slice(0, 3)), "QuorumLost"), "False QuorumLossPending");
    assert.equal(verdictIn(statusAfterPasses(...passes), "QuorumLost"), "True MajorityUnreachable");
  });

  test("stays True when a node is declared lost meanwhile, which makes its pods unready again", () => {
    const later = silent.members.map((member) => ({ ...member, pod: { notReadySinceMs: NOW_MS + 40_000 } }));
    const passes = [
      {},
      { ...silent, atMs: 1_000 },
      { ...silent, atMs: 7_000 },
      { ...silent, members: later, atMs: 41_000 },
    ];
    assert.equal(verdictIn(statusAfterPasses(...passes), "QuorumLost"), "True MajorityUnreachable");
  });

  test("is False at first also when clients could not write before, for another reason", () => {
    const alarms = [{ memberId: "a", kind: "no-space" as const }];
    const passes = [{ seen: { alarms } }, { ...silent, atMs: 60_000 }, { ...silent, atMs: 65_000 }];
    assert.equal(verdictIn(statusAfterPasses(...passes.slice(0, 2)), "QuorumLost"), "False QuorumLossPending");
    assert.equal(verdictIn(statusAfterPasses(...passes), "QuorumLost"), "True MajorityUnreachable");
  });

  test("is True at once when the data of a majority is gone", () => {
    const seen = anObservation({ members: [unhealthy("a"), gone("b"), gone("c")], membership: "unconfirmed" });
    assert.equal(verdictIn(statusOf(seen), "QuorumLost"), "True MajorityLost");
  });

  test("is not True at once when volumes were swapped: they can be swapped back", () => {
    const barred = { pod: { refusal: "other-member" } } as const;
    const members = [unhealthy("a"), unknown("b", barred), unknown("c", barred)];
    const given = { members, membership: "unconfirmed", claims: true } as const;
    assert.equal(verdictIn(statusOf(anObservation(given)), "QuorumLost"), "False QuorumLossPending");
    const { message = "", reason } = conditionIn(statusAfterPasses(given, { ...given, atMs: 10_000 }), "QuorumLost");
    assert.equal(reason, "MajorityUnreachable");
    assert.match(
      message,
      /Prevented from starting: b \(the guard refused its data: other-member\), c .*return the original volumes of b, c/,
    );
  });

  test("reports how to continue from volumes that are all of an earlier time", () => {
    const barred = { pod: { refusal: "log-behind", stage: "pending" } } as const;
    const members = [unknown("a", barred), unknown("b", barred), unknown("c", barred)];
    const given = { members, membership: "unknown", claims: true } as const;
    const { message = "" } = conditionIn(statusAfterPasses(given, { ...given, atMs: 10_000 }), "QuorumLost");
    assert.match(message, /Prevented from starting: a \(the guard refused its data: log-behind\)/);
    assert.match(message, /removing the annotation etcd\.database\.coreos\.com\/log-reached from their claims/);
  });

  test("is True when the guards found nothing on the volumes of a majority", () => {
    const wiped = { pod: { refusal: "data-gone" } } as const;
    const members = [unhealthy("a"), unknown("b", wiped), unknown("c", wiped)];
    const seen = anObservation({ members, membership: "unconfirmed", claims: true });
    assert.equal(verdictIn(statusOf(seen), "QuorumLost"), "True MajorityLost");
  });

  test("is False again when members return", () => {
    const status = statusAfterPasses({}, silent, { ...silent, atMs: 20_000 }, { atMs: 30_000 });
    assert.equal(verdictIn(status, "QuorumLost"), "False MajorityHealthy");
    assert.equal(conditionIn(status, "QuorumLost").lastTransitionTime, "2030-01-01T00:00:30Z");
  });

  test("is False before there is a cluster, however long that takes", () => {
    const founding = { members: [unknown("a", { listed: false })], membership: "unknown" } as const;
    const status = statusAfterPasses({ ...founding, status: {} }, { ...founding, atMs: 600_000 });
    assert.equal(verdictIn(status, "QuorumLost"), "False NoCluster");
  });

  test("does not count the time that a cluster took to come up", () => {
    const founding = { members: [unknown("a", { listed: false })], membership: "unknown" } as const;
    const recorded = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Creating" } as const;
    const slow = { ...statusAfterPasses({ ...founding, status: {} }), ...recorded };
    const up = { members: [leader("a", { pod: { isReady: false } })], atMs: 60_000 };
    const down = { members: [unknown("a")], membership: "unknown", atMs: 61_000 } as const;
    assert.equal(verdictIn(statusAfterPasses({ ...up, status: slow }, down), "QuorumLost"), "False QuorumLossPending");
    const later = { ...down, atMs: 71_000 };
    assert.equal(
      verdictIn(statusAfterPasses({ ...up, status: slow }, down, later), "QuorumLost"),
      "True MajorityUnreachable",
    );
  });

  test("is True of a cluster of coreos/etcd-operator of which nothing is left", () => {
    const seen = anObservation({ status: { phase: "Running" }, members: [], size: 3, membership: "unknown" });
    assert.equal(verdictIn(statusOf(seen), "QuorumLost"), "True MajorityLost");
  });

  test("is no more than unreachable while a joining voter has not started", () => {
    const memberIntents = [{ name: "b", incarnation: 1, purpose: "Join" as const }];
    const memberStatus = ["a", "b"].map((name) => ({
      name,
      id: name,
      role: "Unknown" as const,
      health: "Unknown" as const,
    }));
    const status = { ...RUNNING, memberIntents, memberStatus };
    const seen = anObservation({ status, members: [unknown("a"), gone("b")], membership: "unknown" });
    assert.equal(verdictIn(statusOf(seen), "QuorumLost"), "False QuorumLossPending");
  });
});

describe("the report of a lost quorum", () => {
  test("names the members that are lost, away, silent and running, and the remedy", () => {
    const members = [
      unhealthy("a"),
      gone("b"),
      gone("c", { claim: {} }),
      unknown("d", { pod: { usesClaim: true } }),
      unknown("e", { pod: { stage: "pending", trouble: "the node is away", usesClaim: true } }),
    ];
    const given = { members, membership: "unconfirmed" } as const;
    const { message = "" } = conditionIn(statusAfterPasses(given, { ...given, atMs: 10_000 }), "QuorumLost");
    assert.equal(
      message,
      [
        "0 of 5 voting members are healthy, 3 needed for quorum.",
        "Permanently lost: b (its pod was deleted, and its data with it).",
        "Without a running pod: c (it has no pod), e (the node is away).",
        "Not answering: d (not reached).",
        "Still running: a.",
        "The operator removes no member meanwhile.",
        "What you can do: bring back the nodes and pods of c, d, e, whose data still exists: the cluster continues by itself when a majority responds;",
        "save the remaining data with 'etcdctl snapshot save' from a;",
        "restore a backup with an EtcdRestore for this cluster (docs/operations/quorum-lost.md);",
        "or delete and recreate this EtcdCluster, without its data.",
      ].join(" "),
    );
  });

  test("raises no hope when the data of a majority is gone", () => {
    const seen = anObservation({ members: [unknown("a"), gone("b"), gone("c")], membership: "unconfirmed" });
    const { message = "" } = conditionIn(statusOf(seen), "QuorumLost");
    assert.match(message, /Permanently lost: b .*, c .*Not answering: a .*delete and recreate this EtcdCluster/);
    assert.doesNotMatch(message, /bring back/);
  });

  test("lists the existing ones when the members were never recorded", () => {
    const taken = { members: [unknown("a"), unknown("b")], membership: "unknown" } as const;
    const status = statusAfterPasses({ ...taken, status: { phase: "Running" } }, { ...taken, atMs: 60_000 });
    const { message = "" } = conditionIn(status, "QuorumLost");
    assert.match(message, /Not answering: a \(not reached\), b \(not reached\)/);
  });

  test("counts pods of coreos/etcd-operator that ended for good, and their data with them", () => {
    const ended = { pod: { stage: "ended" } } as const;
    const members = [unknown("a"), unknown("b", ended), unknown("c", ended)];
    const seen = anObservation({ members, membership: "unknown", status: { phase: "Running" } });
    assert.equal(verdictIn(statusOf(seen), "QuorumLost"), "True MajorityLost");
  });
});
