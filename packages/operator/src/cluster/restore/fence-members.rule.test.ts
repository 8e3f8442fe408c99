import assert from "node:assert/strict";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import {
  asked,
  formerClaim,
  formerPod,
  inRestore,
  inSavedRestore,
  stoppedPod,
} from "@etcd-operator/testing/cluster/a-restore.ts";
import { anObservation, CLUSTER_ID, healthy, NOW_MS } from "@etcd-operator/testing/cluster/an-observation.ts";
import { statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type {
  AnsweredStatus,
  AnswerSeen,
  ClaimSeen,
  EtcdMember,
  LastStanding,
  PodSeen,
  SetAsidePod,
} from "../model/observation.ts";
import { plan } from "../plan.ts";
import type { RestoreStatus } from "./restoring.rule.ts";

interface Given {
  readonly pods?: readonly SetAsidePod[];
  readonly claims?: readonly ClaimSeen[];
  readonly state?: "Fencing" | "Restoring";
}

function planWith({ pods = [], claims = [], state = "Fencing" }: Given) {
  const seen = { setAside: { pods, claims } };
  return plan(
    anObservation({ members: [], membership: "unknown", metadata: asked(), status: inRestore(state), size: 3, seen }),
  );
}

function fenced(given: Given) {
  const action = planWith(given);
  assert.ok(action.kind === "fence-pods", `${action.kind} (${action.message})`);
  return { toDelete: action.toDelete.map(({ name }) => name), toStop: action.toStop.map(({ name }) => name) };
}

const onClaim = { usesClaim: true };

describe("the members of the cluster before", () => {
  test("are deleted where their data is on claims, and stopped where it is in the pod", () => {
    const pods = [formerPod("a", onClaim), formerPod("b")];
    assert.deepEqual(fenced({ pods, claims: [formerClaim("a")] }), { toDelete: ["a"], toStop: ["b"] });
  });

  test("are stopped where the claim would go with the pod", () => {
    const claims = [formerClaim("a", { isTerminating: true })];
    assert.deepEqual(fenced({ pods: [formerPod("a", onClaim)], claims }), { toDelete: [], toStop: ["a"] });
  });

  test("are deleted where they have never been on a node, before they get there", () => {
    assert.deepEqual(fenced({ pods: [formerPod("a", { isScheduled: false })] }), { toDelete: ["a"], toStop: [] });
  });

  test.each([
    ["was told to stop, and the kubelet has not said that it did", { fencedImage: "etcd:v1" }],
    ["is being deleted", { isTerminating: true }],
  ])("are waited for while one of them %s", (_, more) => {
    const action = planWith({ pods: [formerPod("a", more), stoppedPod("b")] });
    assert.deepEqual([action.kind, action.reason], ["hold", "FencingMembers"]);
    assert.match(action.message, /report that a has stopped.*force-delete/);
  });

  test("do not block once none of them runs", () => {
    const pods = [stoppedPod("a")];
    assert.equal(planWith({ pods }).kind, "declare-seeds");
  });

  test("are stopped again if one comes back while the first new one is made", () => {
    assert.deepEqual(fenced({ pods: [formerPod("a")], state: "Restoring" }), { toDelete: [], toStop: ["a"] });
    const action = planWith({ pods: [formerPod("a", { isTerminating: true })], state: "Restoring" });
    assert.equal(action.reason, "FencingMembers");
  });

  test("are stopped again where they got their etcd image back", () => {
    const pods = [stoppedPod("a", { mayRun: true, hasEtcdAgain: true }), stoppedPod("b", { mayRun: true })];
    assert.deepEqual(fenced({ pods, state: "Fencing" }), { toDelete: [], toStop: ["a"] });
  });

  test("are stopped, but delay nothing, once the restored cluster is recorded", () => {
    const status = inRestore("Joining", { clusterID: CLUSTER_ID, incarnation: 2 });
    const seen = (pods: readonly SetAsidePod[]) => ({ setAside: { pods, claims: [] } });
    const joining = { status, size: 4, metadata: asked() };
    assert.equal(plan(anObservation({ ...joining, seen: seen([formerPod("x")]) })).kind, "fence-pods");
    assert.equal(
      plan(anObservation({ ...joining, seen: seen([stoppedPod("x", { mayRun: true })]) })).kind,
      "declare-join",
    );
  });
});

describe("a member that coreos/etcd-operator made, whose data is lost with its process", () => {
  const old = formerPod("a", { gate: "absent", incarnation: undefined });
  const planFor = (isSaved: boolean, pods: readonly SetAsidePod[]) => {
    const status = isSaved ? inSavedRestore("Fencing") : inRestore("Fencing");
    const given = { members: [], membership: "unknown", size: 3, status } as const;
    return plan(anObservation({ ...given, metadata: asked(), seen: { setAside: { pods, claims: [] } } }));
  };

  test("is stopped when it was saved", () => {
    const action = planFor(true, [old]);
    assert.ok(action.kind === "fence-pods");
    assert.deepEqual(
      action.toStop.map(({ name }) => name),
      ["a"],
    );
  });

  test("is left to its user when it could not be saved; the others are stopped", () => {
    const action = planFor(false, [old, formerPod("b")]);
    assert.ok(action.kind === "fence-pods");
    assert.deepEqual(
      action.toStop.map(({ name }) => name),
      ["b"],
    );
    const waiting = planFor(false, [old, stoppedPod("b")]);
    assert.deepEqual([waiting.kind, waiting.reason], ["hold", "FencingMembers"]);
    assert.match(
      waiting.message,
      /^a \(created by coreos\/etcd-operator, no PVC\).*no safety snapshot exists\. Delete the pod/,
    );
  });
});

describe("a new member that finds no place", () => {
  const stopped = [stoppedPod("a"), stoppedPod("b")];

  function planFor(
    pod: Partial<PodSeen>,
    more: Partial<RestoreStatus>,
    pods: readonly SetAsidePod[] = stopped,
    roomMadeAt?: string,
  ) {
    return plan(seenWith(pod, more, pods, roomMadeAt));
  }

  function seenWith(
    pod: Partial<PodSeen>,
    more: Partial<RestoreStatus>,
    pods: readonly SetAsidePod[] = stopped,
    roomMadeAt?: string,
  ) {
    const status = inRestore("Restoring", {
      incarnation: 2,
      memberIntents: [{ name: "new", incarnation: 2, purpose: "Seed" }],
    });
    const restore = { ...status.restore, ...more, ...(roomMadeAt && { roomMadeAt }) } as RestoreStatus;
    const seed = {
      incarnation: 2,
      memberId: undefined,
      clusterId: undefined,
      stage: "pending",
      isScheduled: false,
      ...pod,
    } as const;
    return anObservation({
      members: [healthy("new", { listed: false, health: "unknown", pod: seed })],
      membership: "unknown",
      size: 3,
      metadata: asked(),
      status: { ...status, restore },
      seen: { setAside: { pods, claims: [] } },
    });
  }

  const forAMinute = { unschedulableSinceMs: NOW_MS - 60_000, lacksRoom: true } as const;
  const saved = { saved: true, allSaved: true };

  test("for a minute gets that of a stopped one, whose data is in a store; one at a time", () => {
    const action = planFor(forAMinute, saved);
    assert.ok(action.kind === "discard-set-aside");
    assert.deepEqual([action.pods.map(({ name }) => name), action.noRoomFor], [["a"], "new"]);
    const going = stopped.map((pod) => (pod.name === "a" ? { ...pod, isTerminating: true } : pod));
    assert.equal(planFor(forAMinute, saved, going).kind, "hold");
  });

  test("waits while a minute is not over, or nothing was saved; and names what a person could do", () => {
    assert.equal(planFor({ ...forAMinute, unschedulableSinceMs: NOW_MS - 59_000 }, saved).kind, "hold");
    const action = planFor(forAMinute, {});
    assert.equal(action.kind, "hold");
    assert.match(action.message, /stopped pods a, b may occupy its node/);
  });

  test("waits another minute after one has made room, which is written down, before the next one is deleted", () => {
    const seen = seenWith(forAMinute, saved);
    assert.equal(statusOf(seen, plan(seen)).restore?.roomMadeAt, rfc3339(NOW_MS));
    const left = [stoppedPod("b")];
    assert.equal(planFor(forAMinute, saved, left, rfc3339(NOW_MS - 59_000)).kind, "hold");
    assert.equal(planFor(forAMinute, saved, left, rfc3339(NOW_MS - 60_000)).kind, "discard-set-aside");
  });

  test("does not replace one whose data an earlier restore could not save, which is reported to the user", () => {
    const kept = stoppedPod("a", { incarnation: 1 });
    const superseding = { ...saved, incarnation: 3, keepsClaimsBelow: 2 };
    const action = planFor(forAMinute, superseding, [kept]);
    assert.equal(action.kind, "hold");
    assert.match(action.message, /the stopped pods a may occupy its node: delete those whose data is not needed/);
    const other = planFor(forAMinute, superseding, [kept, stoppedPod("b", { incarnation: 2 })]);
    assert.ok(other.kind === "discard-set-aside");
    assert.deepEqual(
      other.pods.map(({ name }) => name),
      ["b"],
    );
  });

  test("takes no place where that would not help, by the scheduler's own words", () => {
    assert.equal(planFor({ unschedulableSinceMs: NOW_MS - 60_000 }, saved).kind, "hold");
  });

  test("takes no place where there is none to take: data on claims stays", () => {
    const pods = [formerPod("a", { usesClaim: true, mayRun: false })];
    assert.equal(planFor(forAMinute, saved, pods).kind, "hold");
  });
});

describe("the leader of the cluster before", () => {
  const TERM = 7;
  const pods = [formerPod("a", onClaim), formerPod("b", onClaim)];
  const claims = [formerClaim("a"), formerClaim("b")];
  const saved = { saved: true, savedRevision: 90, savedClusterID: CLUSTER_ID, lastToStop: "a", lastTerm: TERM };

  interface Last extends Partial<AnsweredStatus> {
    readonly health?: AnswerSeen["health"];
    readonly voters?: number;
  }

  function lastStanding({ health = "unhealthy", voters = 2, ...more }: Last): LastStanding {
    const [pod] = anObservation({ members: [healthy("a")] }).pods;
    const log = { term: TERM, index: 500 };
    const status = { ...pod?.answer.status, revision: 90, clusterId: CLUSTER_ID, log, ...more } as AnsweredStatus;
    const listed = Array.from({ length: voters }, (_, index) => ({ id: `${index}`, isLearner: false }) as EtcdMember);
    return { name: "a", answer: { health, status }, membership: { kind: "unconfirmed", members: listed } };
  }

  function seenWith(left: readonly SetAsidePod[], more: Partial<RestoreStatus> = {}, last?: LastStanding) {
    const { restore } = inRestore("Fencing");
    const status = inRestore("Fencing", { restore: { ...restore, ...saved, ...more } as RestoreStatus });
    const seen = { setAside: { pods: left, claims }, ...(last && { lastStanding: last }) };
    return anObservation({ members: [], membership: "unknown", metadata: asked(), status, size: 2, seen });
  }

  test("stops after all others, when nothing can be written any more", () => {
    const first = plan(seenWith(pods));
    assert.ok(first.kind === "fence-pods");
    assert.deepEqual(
      first.toDelete.map(({ name }) => name),
      ["b"],
    );
    assert.equal(plan(seenWith([formerPod("a", onClaim), formerPod("b", { isTerminating: true })])).kind, "hold");
  });

  test("then reports that all was saved, where it has no newer data; and stops", () => {
    const [last] = pods;
    assert.ok(last);
    const seen = seenWith([last], {}, lastStanding({}));
    const action = plan(seen);
    assert.ok(action.kind === "note-saved", action.message);
    assert.equal(action.allSaved, true);
    assert.equal(statusOf(seen, action).restore?.allSaved, true);
    const then = plan(seenWith([last], { allSaved: true }));
    assert.ok(then.kind === "fence-pods");
    assert.equal(then.toDelete.length, 1);
  });

  test.each<[string, LastStanding | undefined, RegExp]>([
    ["writes went on after it was saved", lastStanding({ revision: 5_000 }), /a has revision 5000/],
    ["it does not answer", undefined, /a could not be queried/],
    ["it is of another cluster than what was saved", lastStanding({ clusterId: "c9" }), /another etcd cluster, c9/],
    ["another may have led since", lastStanding({ log: { term: 8, index: 500 } }), /may not have been the last leader/],
    ["it is a majority by itself", lastStanding({ voters: 1 }), /can still take writes/],
    ["it still reads through a majority", lastStanding({ health: "healthy" }), /can still take writes/],
  ])("keeps all volumes, and says so, where %s", (_, last, why) => {
    const [pod] = pods;
    assert.ok(pod);
    const seen = seenWith([pod], {}, last);
    const action = plan(seen);
    assert.ok(action.kind === "note-saved", action.message);
    assert.equal(action.allSaved, false);
    assert.match(action.message, why);
    assert.match(action.message, /Their volumes are kept/);
    assert.equal(statusOf(seen, action).restore?.allSaved, false);
  });

  test("is stopped with the others where nothing was saved, or the leader is unknown", () => {
    for (const more of [{ saved: false }, { lastToStop: "gone" }]) {
      const action = plan(seenWith(pods, more));
      assert.ok(action.kind === "fence-pods");
      assert.equal(action.toDelete.length, 2);
    }
  });
});
