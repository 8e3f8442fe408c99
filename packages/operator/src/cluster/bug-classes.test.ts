import assert from "node:assert/strict";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
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
import { describe, test } from "vitest";
import { memberPod } from "./objects/pod/pod.ts";
import { plan } from "./plan.ts";

// What broke other operators, as far as the planner decides it. What acting decides is in act/, under the same names;
// what the client decides is in packages/etcd-client/src.

const joining = (name: string) => ({
  clusterID: CLUSTER_ID,
  incarnation: 1,
  memberIntents: [{ name, incarnation: 1, purpose: "Join" as const }],
});

describe("two members disrupted because the cache lagged (opensearch-k8s-operator#1471)", () => {
  test("while one of three is not seen healthy, none of the others is removed", () => {
    for (const third of [unknown("c"), unhealthy("c"), gone("c")]) {
      const action = plan(anObservation({ size: 1, members: [leader("a"), healthy("b"), third] }));
      assert.ok(action.kind === "hold" || (action.kind === "remove-member" && action.member.name === "c"), action.kind);
    }
  });
});

describe("ghost member after a timed-out MemberAdd (coreos#2148)", () => {
  test("one that was added after all gets its pod, and is not added again", () => {
    const members = [leader("a"), healthy("b"), gone("c", { listed: "unstarted-learner" })];
    assert.equal(plan(anObservation({ members, status: joining("c") })).kind, "start-members");
  });

  test("one that is not recorded is removed before another member is added", () => {
    const members = [leader("a"), healthy("b"), gone("ghost", { listed: "unstarted-learner" })];
    const action = plan(anObservation({ size: 5, members, status: joining("c") }));
    assert.equal(action.kind === "remove-member" && action.member.name, "ghost");
  });
});

describe("replacement pod that crash-loops into quorum loss (coreos#1969)", () => {
  test("a replacement that never comes up stays without a vote, and no member is added beside it", () => {
    const crashing = unknown("c", { listed: "unstarted-learner", pod: { trouble: "CrashLoopBackOff" } });
    const action = plan(anObservation({ members: [leader("a"), healthy("b"), crashing], status: joining("c") }));
    assert.equal(action.kind, "hold");
  });

  test("after a while another replaces it, again without a vote", () => {
    const since = new Date(NOW_MS - 61_000).toISOString();
    const memberStatus = [{ name: "c", role: "Unknown" as const, health: "Unknown" as const, notHealthySince: since }];
    const crashing = unknown("c", { listed: "unstarted-learner", pod: { trouble: "CrashLoopBackOff" } });
    const status = { ...joining("c"), memberStatus };
    const action = plan(anObservation({ members: [leader("a"), healthy("b"), crashing], status }));
    assert.equal(action.kind === "remove-member" && action.because, "never-started");
  });
});

describe("PVC reused after scale-down and up (zookeeper#517)", () => {
  test("a new member never has the name, and so the claim, of one that was there before", () => {
    const retained = gone("c", { listed: false, claim: {} });
    const spec = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" } };
    const action = plan(anObservation({ size: 3, members: [leader("a"), healthy("b"), retained], spec }));
    assert.equal(action.kind === "declare-join" && action.name, "new-1");
  });
});

describe("TLS silently absent after a crash between two writes (K8SPSMDB-578)", () => {
  test("a pod is made in one piece, with the certificates that the spec names, however it starts", () => {
    const cluster = anEtcdCluster({ TLS: STATIC_TLS });
    const starts = [
      { kind: "seed", token: "t", peers: [] },
      { kind: "joining", clusterId: "c1", peers: [] },
      { kind: "returning", clusterId: "c1", memberId: "m" },
    ] as const;
    for (const start of starts) {
      const version = { major: 3, minor: 5, patch: 30 };
      const pod = memberPod({ cluster, member: "a", version, incarnation: 1, start, guardImage: "guard" });
      const command = pod.spec?.containers[0]?.command ?? [];
      assert.ok(command.includes("--client-cert-auth=true") && command.includes("--peer-client-cert-auth=true"));
      assert.equal(
        command.some((flag) => flag.includes("http://") && !flag.includes("metrics")),
        false,
      );
    }
  });
});

describe("a healthy pod rolled while another is down (druid DEP-07)", () => {
  test("no healthy member is removed while another is not healthy", () => {
    const members = [leader("a"), healthy("b"), healthy("c"), healthy("d"), unknown("e")];
    assert.equal(plan(anObservation({ size: 3, members })).kind, "hold");
  });
});

describe("frozen --initial-cluster in a crash loop (cozystack#336)", () => {
  test("a member that comes back is given no other member's URL", () => {
    const action = plan(anObservation({ members: [leader("a"), healthy("b"), gone("c")], claims: true }));
    assert.equal(action.kind, "start-members");
    assert.deepEqual(Object.keys(action.members[0]?.start ?? {}).sort(), ["clusterId", "kind", "memberId"]);
  });

  test("one that joins gets the list of the present members", () => {
    const members = [leader("a"), healthy("x"), gone("c", { listed: "unstarted-learner" })];
    const action = plan(anObservation({ members, status: joining("c") }));
    assert.ok(action.kind === "start-members" && action.members[0]?.start.kind === "joining");
    assert.deepEqual(
      action.members[0].start.peers.map(({ name }) => name),
      ["a", "x"],
    );
  });
});

describe("a recovery pod that formed a new cluster (druid#452)", () => {
  test("once a cluster is on record, no member starts as an initial one, whatever is missing", () => {
    for (const membership of ["confirmed", "unconfirmed", "unknown"] as const) {
      for (const claims of [true, false]) {
        const members = [gone("a"), gone("b"), gone("c")];
        const action = plan(anObservation({ members, membership, claims }));
        assert.notEqual(action.kind, "declare-seeds");
        const starts = action.kind === "start-members" ? action.members.map(({ start }) => start.kind) : [];
        assert.equal(starts.includes("seed"), false);
      }
    }
  });
});

describe('"act only when stable" that blocks the spec change which would fix it (Acto, SOSP\'23)', () => {
  test("an initial member that can never start is abandoned as soon as the spec is corrected", () => {
    const memberIntents = [{ name: "a", incarnation: 1, purpose: "Seed" as const }];
    const pod = { stage: "pending", specHash: "v1:typo", memberId: undefined, clusterId: undefined } as const;
    const members = [unknown("a", { listed: false, pod })];
    const status = { incarnation: 1, memberIntents };
    assert.equal(plan(anObservation({ size: 3, members, membership: "unknown", status })).kind, "forget-intents");
  });

  test("a joiner that can never start makes room as soon as the spec is corrected", () => {
    const stuck = unknown("c", { listed: "unstarted-learner", pod: { stage: "pending", specHash: "v1:typo" } });
    const action = plan(anObservation({ members: [leader("a"), healthy("b"), stuck], status: joining("c") }));
    assert.equal(action.kind, "remove-member");
  });

  test("a smaller size is followed while a join is stuck", () => {
    const stuck = unknown("c", { listed: "unstarted-learner", pod: { stage: "pending" } });
    const action = plan(anObservation({ size: 2, members: [leader("a"), healthy("b"), stuck], status: joining("c") }));
    assert.equal(action.kind === "remove-member" && action.member.name, "c");
  });
});
