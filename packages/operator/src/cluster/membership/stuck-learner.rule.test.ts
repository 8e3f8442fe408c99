import assert from "node:assert/strict";
import { ConditionMemory } from "@etcd-operator/controller-runtime";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { afterStall } from "@etcd-operator/testing/cluster/stalled.ts";
import { describe, test } from "vitest";
import { LASTING } from "../model/lasting.ts";
import type { AnsweredStatus, Observation, PodSeen } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { lastingConditions } from "../observe/lasting-conditions.ts";
import { plan } from "../plan.ts";
import { placeBehind } from "./stuck-learner.rule.ts";

const MINUTE_MS = 60_000;
const MIB = 1024 ** 2;

/** How far members have got in the log; the learner is "c". */
interface Case extends ObservationGiven {
  readonly leaderAt?: number;
  readonly learnerAt?: number;
  readonly learner?: Partial<PodSeen>;
  readonly databaseSizeBytes?: number;
  /** For how long this process has seen the learner where it is. */
  readonly behindMs?: number;
}

function at(seen: Observation, indexes: Readonly<Record<string, number>>, databaseSizeBytes = 20_480): Observation {
  const pods = seen.pods.map((pod): PodSeen => {
    const index = indexes[pod.name];
    if (index === undefined || !pod.answer.status) return pod;
    const status: AnsweredStatus = { ...pod.answer.status, databaseSizeBytes, log: { term: 2, index } };
    return { ...pod, answer: { ...pod.answer, status } };
  });
  return { ...seen, pods };
}

const joining = (more: Partial<MemberGiven> = {}) => healthy("c", { listed: "learner", ...more });

/** Before etcd was asked to promote it. */
function seenIn({ leaderAt = 5_000, learnerAt = 10, learner, behindMs = 11 * MINUTE_MS, ...given }: Case): Observation {
  const c = joining({ pod: { memberId: "c", ...learner } });
  const seen = anObservation({ size: 3, members: [leader("a"), healthy("b"), c], ...given });
  const seenFor = { ms: (condition: string) => (condition === LASTING.behind("c") ? behindMs : 0) };
  return at({ ...seen, seenFor }, { a: leaderAt, b: leaderAt, c: learnerAt }, given.databaseSizeBytes);
}

/** What happens once etcd has refused to promote it. */
function removal(given: Case, came: "refused" | "failed" = "refused") {
  const seen = seenIn(given);
  const promotion = plan(seen);
  assert.equal(promotion.kind, "promote-member");
  const action = plan(afterStall(seen, promotion, { came }));
  return action.kind === "remove-member" ? action : undefined;
}

function removed(...given: Parameters<typeof removal>): string | undefined {
  const action = removal(...given);
  return action && `${action.member.name} ${action.because}`;
}

describe("a learner that etcd does not promote", () => {
  test("is replaced when it answers and has got no further for longer than a snapshot takes", () => {
    assert.equal(removed({}), "c stuck-learner");
  });

  test("is removed as a joiner that failed: the first successor is added at once, the next ones wait", () => {
    const first = removal({});
    assert.match(first?.failed ?? "", /c never joined: etcd does not promote it, and its log has stopped at index 10/);
    assert.equal(first?.successor, "new-1");
    const times = { lastTime: "2029-12-31T23:00:00Z", nextTime: "2029-12-31T23:00:00Z" };
    const startFailures = { count: 1, ...times, reason: "c never joined", generation: 1 };
    const status = { clusterID: CLUSTER_ID, incarnation: 1, startFailures };
    assert.equal(removal({ status, behindMs: 60 * MINUTE_MS })?.successor, undefined);
  });

  test("is not while a snapshot of the largest database may be on its way, at 1 MiB/s", () => {
    const large = { databaseSizeBytes: 1_200 * MIB };
    assert.equal(removed({ ...large, behindMs: 29 * MINUTE_MS }), undefined);
    assert.equal(removed({ ...large, behindMs: 31 * MINUTE_MS }), "c stuck-learner");
  });

  test("is not for ten minutes, nor for twice the time that the user lets members be away", () => {
    assert.equal(removed({ behindMs: 9 * MINUTE_MS }), undefined);
    const spec = { memberReplacement: { afterSeconds: 1_200 } };
    assert.equal(removed({ spec, behindMs: 39 * MINUTE_MS }), undefined);
    assert.equal(removed({ spec, behindMs: 41 * MINUTE_MS }), "c stuck-learner");
  });

  test("has twice the time after each attempt of this spec that failed, so that a slow network only delays it", () => {
    const times = { lastTime: "2029-12-31T23:00:00Z", nextTime: "2029-12-31T23:00:00Z" };
    const failed = (generation: number) => {
      const startFailures = { count: 2, ...times, reason: "x never joined", generation };
      return { status: { clusterID: CLUSTER_ID, incarnation: 1, startFailures } };
    };
    assert.equal(removed({ ...failed(1), behindMs: 39 * MINUTE_MS }), undefined);
    assert.equal(removed({ ...failed(1), behindMs: 41 * MINUTE_MS }), "c stuck-learner");
    assert.equal(removed({ ...failed(0), behindMs: 11 * MINUTE_MS }), "c stuck-learner");
  });

  test("is not while it has all that the leader has", () => {
    assert.equal(removed({ learnerAt: 5_000 }), undefined);
  });

  test("is not where the promotion failed and was not refused", () => {
    assert.equal(removed({}, "failed"), undefined);
  });

  test("is not while etcd has not been asked, or may promote it at the next try", () => {
    const seen = seenIn({});
    assert.equal(plan(seen).kind, "promote-member");
    assert.equal(plan(afterStall(seen, plan(seen), { came: "refused", leftMs: 0 })).kind, "promote-member");
  });

  test("is not while no other could come in its place", () => {
    const tls = { defects: ["Secret 'peer' is missing"], expiring: [], ca: { peer: "p", server: "s" } };
    assert.equal(removed({ seen: { tls } }), undefined);
    assert.equal(
      removed({ seen: { problems: ["spec.version: no version"], invalidFields: ["spec.version"] } }),
      undefined,
    );
  });

  test("is not before a voter that is dead: that one is removed first", () => {
    const members = [leader("a"), healthy("b"), healthy("x"), gone("d"), joining({ pod: { memberId: "c" } })];
    assert.equal(removed({ size: 5, members }), "d dead");
  });

  test("is not when another learner is refused", () => {
    const seen = seenIn({});
    const promotion = { ...plan(seen), kind: "promote-member", member: { name: "e", id: "e" } } as const;
    assert.equal(plan(afterStall(seen, promotion, { came: "refused" })).kind, "promote-member");
  });
});

test("a voter is never a learner that is stuck, however far behind it is", () => {
  const voter = healthy("c");
  const seen = at(anObservation({ members: [leader("a"), healthy("b"), voter] }), { a: 5_000, b: 5_000, c: 1 });
  const now = situationOf(seen);
  assert.deepEqual(
    now.members.map((member) => placeBehind(member, now)),
    [undefined, undefined, undefined],
  );
  assert.equal(plan(seen).kind, "none");
});

describe("the time that a learner has been seen behind", () => {
  const look = (learnerAt: number, given: Case = {}) => seenIn({ learnerAt, ...given });

  function course(...looks: readonly Observation[]): number {
    let nowMs = 0;
    const memory = new ConditionMemory({ monotonic: () => nowMs }, 30_000);
    let ms = -1;
    for (const seen of looks) {
      ms = memory.learn("k", lastingConditions(seen)).ms(LASTING.behind("c"));
      nowMs += 10_000;
    }
    return ms;
  }

  test("grows while it gets no further, however far the leader gets", () => {
    assert.equal(course(look(10), look(10, { leaderAt: 6_000 }), look(10, { leaderAt: 7_000 })), 20_000);
  });

  test("starts again with any progress", () => {
    assert.equal(course(look(10), look(10), look(11)), 0);
    assert.equal(course(look(10), look(10), look(5_000), look(5_000, { leaderAt: 6_000 })), 0);
  });

  test("starts again with another leader, which sends its snapshot from the beginning", () => {
    const members = [healthy("a"), leader("b"), joining({ pod: { memberId: "c" } })];
    assert.equal(course(look(10), look(10), look(10, { members })), 0);
  });

  test("starts again when it does not answer, when its pod is another, and when no majority is seen", () => {
    const silent = [leader("a"), healthy("b"), unhealthy("c", { listed: "learner" })];
    assert.equal(course(look(10), look(10, { members: silent }), look(10)), 0);
    assert.equal(course(look(10), look(10), look(10, { learner: { uid: "another" } })), 0);
    const alone = [leader("a"), gone("b"), joining({ pod: { memberId: "c" } })];
    assert.equal(course(look(10), look(10, { members: alone }), look(10)), 0);
  });
});
