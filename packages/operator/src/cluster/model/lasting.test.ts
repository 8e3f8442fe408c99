import assert from "node:assert/strict";
import { ConditionMemory } from "@etcd-operator/controller-runtime";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  NOW_MS,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { conditionIn, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import { podHash } from "../objects/pod/pod-hash.ts";
import { lastingConditions } from "../observe/lasting-conditions.ts";
import { plan } from "../plan.ts";
import { recheckMs } from "../status/recheck.status.ts";
import { LASTING } from "./lasting.ts";
import type { Observation, PodSeen } from "./observation.ts";

const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(NOW_MS + ms).toISOString();
const [pod] = anObservation({ claims: true }).pods;
assert.ok(pod);

/** c is away, on its volume; what was written down of it is of some clock. */
function cAway({
  notedMs = -HOUR_MS,
  readyMs,
  nowMs = NOW_MS,
}: {
  notedMs?: number;
  readyMs?: number;
  nowMs?: number;
}) {
  const noted = {
    name: "c",
    id: "c",
    role: "Follower",
    health: "Unknown",
    podHash: podHash(pod ?? ({} as never)),
  } as const;
  const status = { clusterID: CLUSTER_ID, incarnation: 1, memberStatus: [{ ...noted, notHealthySince: at(notedMs) }] };
  const c = unknown("c", {
    pod: { isReady: false, notReadySinceMs: readyMs === undefined ? undefined : NOW_MS + readyMs },
  });
  return anObservation({ claims: true, members: [leader("a"), healthy("b"), c], status, seen: { nowMs } });
}

const seenFor = (ms: number): Pick<Observation, "seenFor"> => ({ seenFor: { ms: () => ms } });
const planned = (seen: Observation, ms: number) => plan({ ...seen, ...seenFor(ms) }).kind;

describe("a member that is away by what another clock wrote down", () => {
  test("is not removed before this process has seen it away for the time", () => {
    assert.notEqual(planned(cAway({}), 59_000), "remove-member");
    assert.equal(planned(cAway({}), 60_000), "remove-member");
  });

  test("is not removed before the time that is written down has passed, either", () => {
    assert.notEqual(planned(cAway({ notedMs: -30_000 }), HOUR_MS), "remove-member");
  });

  test("counts from now on where what is written down is of the future, as after the clock was set back", () => {
    const seen = cAway({ notedMs: HOUR_MS });
    assert.notEqual(planned(seen, HOUR_MS), "remove-member");
    const { memberStatus = [] } = statusOf(seen);
    assert.equal(memberStatus.find(({ name }) => name === "c")?.notHealthySince, "2030-01-01T00:00:00Z");
  });

  test("is replaced in time though the clock of its node is an hour ahead", () => {
    assert.equal(planned(cAway({ readyMs: HOUR_MS }), 60_000), "remove-member");
  });

  test("is checked again when both times have passed", () => {
    assert.equal(recheckMs({ ...cAway({}), ...seenFor(45_000) }), 15_000);
    assert.equal(recheckMs({ ...cAway({ notedMs: -20_000 }), ...seenFor(45_000) }), 40_000);
  });
});

describe("what this process has seen of a member", () => {
  function course(...looks: readonly Observation[]): number {
    let nowMs = 0;
    const memory = new ConditionMemory({ monotonic: () => nowMs }, 30_000);
    let ms = -1;
    for (const look of looks) {
      ms = memory.learn("k", lastingConditions(look)).ms(LASTING.away("c"));
      nowMs += 10_000;
    }
    return ms;
  }

  test("grows while it is away, whatever the wall clock does", () => {
    const stepped = [0, HOUR_MS, -HOUR_MS].map((ms) => cAway({ nowMs: NOW_MS + ms }));
    assert.equal(course(...stepped), 20_000);
  });

  test("continues when Kubernetes declares its node lost and evicts it, and starts again when a user deletes its pod", () => {
    const looks = (evicted: Partial<PodSeen>) =>
      [
        { isReady: true },
        { isReady: false, notReadySinceMs: NOW_MS, isMarkedNotReady: true as const },
        { isReady: false, notReadySinceMs: NOW_MS, isMarkedNotReady: true as const, ...evicted },
      ].map((given) => anObservation({ members: [leader("a"), healthy("b"), unknown("c", { pod: given })] }));
    const deleted = { isTerminating: true, deletedAtMs: NOW_MS };
    assert.equal(course(...looks({ ...deleted, isEvictedFromNode: true })), 20_000);
    assert.equal(course(...looks(deleted)), 0);
  });

  test("starts again when its pod gets a node, and when its containers start", () => {
    const pending = { stage: "pending", isReady: false } as const;
    const looks = [{ ...pending, isScheduled: false }, pending, pending, { isReady: false }].map((given) =>
      anObservation({ members: [leader("a"), healthy("b"), unknown("c", { pod: given })] }),
    );
    assert.equal(course(...looks.slice(0, 2)), 0);
    assert.equal(course(...looks.slice(0, 3)), 10_000);
    assert.equal(course(...looks), 0);
  });

  test("starts again when it was healthy between two checks", () => {
    assert.equal(course(cAway({}), anObservation({ claims: true }), cAway({}), cAway({})), 10_000);
  });

  test("starts again when its pod was ready between two looks, by whichever clock that was", () => {
    assert.equal(course(cAway({ readyMs: -HOUR_MS }), cAway({ readyMs: -2 * HOUR_MS })), 0);
  });
});

describe("a majority whose data is gone", () => {
  const members = [gone("a"), gone("b"), gone("c")];
  const recovery = { onQuorumLoss: "RestoreLatestBackup", backupName: "nightly", graceSeconds: 300 };
  const memberStatus = members.map(
    ({ name }) => ({ name, id: name, role: "Unknown", health: "Unknown", podHash: "h" }) as const,
  );
  const backup = {
    metadata: { name: "nightly" },
    spec: { storageType: "S3", s3: { path: "bucket/etcd" }, etcdCluster: { name: "example" } },
    status: { lastBackup: { path: "bucket/etcd_v100_2029-12-31-12:00:00", clusterID: CLUSTER_ID } },
  };
  const lost = (sinceMs: number, seen: Partial<Observation>) =>
    anObservation({
      members,
      membership: "unknown",
      spec: { recovery },
      status: { clusterID: CLUSTER_ID, incarnation: 1, phase: "Failed", memberStatus, majorityLostSince: at(sinceMs) },
      seen: {
        ...seen,
        recovery: { backupName: "nightly", backup: backup as never, restoreName: "r", restore: undefined },
      },
    });

  test("is restored from a backup only when this process has seen it so for the time", () => {
    assert.equal(plan(lost(-HOUR_MS, seenFor(299_000))).kind, "hold");
    assert.equal(plan(lost(-HOUR_MS, seenFor(300_000))).kind, "create-restore");
  });

  test("counts from now on where what is written down is of the future", () => {
    const seen = lost(HOUR_MS, seenFor(HOUR_MS));
    assert.equal(plan(seen).kind, "hold");
    assert.equal(statusOf(seen).majorityLostSince, "2030-01-01T00:00:00Z");
  });
});

test("a quorum that is out of reach counts as lost when this process has seen it so for five seconds, not by a clock that was set", () => {
  const seen = (ms: number) =>
    anObservation({
      members: [leader("a"), unknown("b", { pod: { isReady: false } }), unknown("c", { pod: { isReady: false } })],
      membership: "unconfirmed",
      status: {
        clusterID: CLUSTER_ID,
        incarnation: 1,
        phase: "Running",
        conditions: [{ type: "Available", status: "False", lastTransitionTime: at(-HOUR_MS) } as never],
        memberStatus: ["b", "c"].map(
          (name) => ({ name, id: name, role: "Follower", health: "Unknown", notHealthySince: at(-HOUR_MS) }) as const,
        ),
      },
      seen: seenFor(ms),
    });
  assert.equal(conditionIn(statusOf(seen(1_000)), "QuorumLost")?.status, "False");
  assert.equal(conditionIn(statusOf(seen(5_000)), "QuorumLost")?.status, "True");
});
