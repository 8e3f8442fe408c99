import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  NOW_MS,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited } from "@etcd-operator/testing/cluster/at-version.ts";
import {
  conditionIn,
  NOTHING,
  RUNNING,
  statusAfterPasses,
  statusOf,
  verdictIn,
} from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { PodSeen } from "../model/observation.ts";

const FOREIGN = { kind: "foreign" } as const;
const FOUNDING = { memberIntents: [{ name: "a", incarnation: 1, purpose: "Seed" }] } satisfies EtcdClusterStatus;
const joining = { listed: "learner", pod: { stage: "pending", answer: { health: "unknown" } } } as const;
const alarm = (kind: "no-space" | "corrupt") => ({ seen: { alarms: [{ memberId: "b", kind }] } });
const minutesAgo = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();
const LATE = { name: "b", role: "Unknown", health: "Unknown", notHealthySince: minutesAgo(2) } as const;

describe("Degraded", () => {
  test("reports that a claim is not bound, once that takes longer than a volume takes", () => {
    const at = (ageMs: number) => {
      const pod = { ...joining.pod, isScheduled: false, createdAtMs: NOW_MS - ageMs };
      const claim = { isUnbound: true } as const;
      return anObservation({ members: [leader("a"), unknown("b", { ...joining, pod, claim })], status: RUNNING });
    };
    assert.equal(verdictIn(statusOf(at(14_000)), "Degraded"), "False NoProblems");
    assert.equal(verdictIn(statusOf(at(16_000)), "Degraded"), "True PodsCannotRun");
    const words = "b (PersistentVolumeClaim 'b' is not bound: kubectl describe pvc b shows why)";
    assert.ok(conditionIn(statusOf(at(16_000)), "Degraded")?.message?.includes(words));
  });

  const cases: [what: string, given: ObservationGiven, verdict: string][] = [
    ["all is well", {}, "False NoProblems"],
    ["a member is gone", { members: [leader("a"), healthy("b"), gone("c")] }, "True MemberNotHealthy"],
    ["a member does not answer", { members: [leader("a"), healthy("b"), unknown("c")] }, "True MemberNotHealthy"],
    [
      "the guard refused a volume",
      { members: [leader("a"), healthy("b"), unknown("c", { pod: { refusal: "data-gone" } })] },
      "True DataRefused",
    ],
    [
      "a pod of a new member cannot run",
      { members: [leader("a"), unknown("b", { ...joining, pod: { trouble: "no node fits" } })] },
      "True PodsCannotRun",
    ],
    ["a new member comes up", { members: [leader("a"), unknown("b", joining)] }, "False NoProblems"],
    [
      "a new member has been coming up for a minute",
      {
        status: { ...RUNNING, memberStatus: [LATE] },
        members: [leader("a"), unknown("b", joining)],
      },
      "True MemberNotHealthy",
    ],
    [
      "an initial member starts",
      { status: FOUNDING, members: [unknown("a", { listed: false })], membership: "unknown" },
      "False NoProblems",
    ],
    [
      "an initial member has not started for a minute",
      {
        status: { ...FOUNDING, memberStatus: [{ ...LATE, name: "a" }] },
        members: [unknown("a", { listed: false })],
        membership: "unknown",
      },
      "True MemberNotHealthy",
    ],
    ["the spec is not valid", { seen: { problems: ["spec.size: wrong"] } }, "True InvalidSpec"],
    [
      "a claim is deleted under a running member",
      { claims: true, members: [leader("a"), healthy("b"), healthy("c", { claim: { isTerminating: true } })] },
      "True ClaimDeleted",
    ],
    ["a member found corrupt data", alarm("corrupt"), "True CorruptAlarm"],
    ["a member has no space", alarm("no-space"), "True NoSpaceAlarm"],
    [
      "foreign pods have our labels",
      { seen: { strangers: { leftoverPods: [], foreignPods: ["x"] } } },
      "True ForeignPods",
    ],
    [
      "the pods of a predecessor are still going",
      { seen: { strangers: { leftoverPods: ["x"], foreignPods: [] } } },
      "False NoProblems",
    ],
    ["it is paused and not as wanted", { size: 5, spec: { paused: true } }, "False NoProblems"],
  ];
  for (const [what, given, verdict] of cases) {
    test(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictIn(statusOf(anObservation(given)), "Degraded"), verdict);
    });
  }

  describe("of a member that is taken down for a change", () => {
    const was = { members: [leader("a"), healthy("b"), healthy("c")], claims: true } as const;
    /** What is said five seconds, and two minutes, after c went down like this. */
    const said = (pod: Partial<PodSeen> | null, claims = true) => {
      const members = [leader("a"), healthy("b"), unknown("c", { pod })];
      const soon = statusAfterPasses({ ...was, claims }, { members, claims, atMs: 5_000 });
      const later = statusAfterPasses(
        { ...was, claims },
        { members, claims, atMs: 5_000 },
        { members, claims, atMs: 125_000 },
      );
      return [verdictIn(soon, "Degraded"), verdictIn(later, "Degraded")];
    };
    const starting = { isReady: false, isEtcdRunning: false, createdAtMs: NOW_MS + 5_000 };

    test("is False as long as it may take, and then True", () => {
      const ways = [
        { ...starting, specHash: "v1:edited" },
        { ...starting, isTerminating: true },
        { ...starting, image: "quay.io/coreos/etcd:v3.5.35", version: "3.5.35" },
        starting,
        null,
      ];
      for (const pod of ways) assert.deepEqual(said(pod), ["False NoProblems", "True MemberNotHealthy"]);
    });

    test("is True at once, and says what to do, when it does not start with it", () => {
      const pod = { ...starting, specHash: "v1:edited", stage: "pending", trouble: "it cannot be scheduled" } as const;
      assert.deepEqual(said(pod), ["True RolloutHalted", "True RolloutHalted"]);
      const members = [leader("a"), healthy("b"), unknown("c", { pod })];
      const { message = "" } = conditionIn(statusAfterPasses(was, { members, claims: true, atMs: 5_000 }), "Degraded");
      assert.match(message, /Fix or revert the change\. Affected: c \(it cannot be scheduled\)$/);
    });

    test("is True at once when it is being deleted, and its data with it", () => {
      assert.deepEqual(said({ isReady: false }), ["True MemberNotHealthy", "True MemberNotHealthy"]);
      assert.deepEqual(said(null, false), ["True MemberNotHealthy", "True MemberNotHealthy"]);
    });
  });

  test("is True at once when a member that comes in place of an outdated one does not start", () => {
    const pod = { stage: "pending", trouble: "ErrImagePull", isEtcdRunning: false } as const;
    const members = [leader("a"), healthy("b"), healthy("c"), unknown("d", { listed: "unstarted-learner", pod })];
    const status = { ...RUNNING, memberIntents: [{ name: "d", incarnation: 1, purpose: "Join" as const }] };
    const seen = edited({ members, size: 3, status }, { pod: { nodeSelector: { disk: "ssd" } } });
    assert.equal(verdictIn(statusOf(seen), "Degraded"), "True RolloutHalted");
  });

  test("names the objects that belong to another owner", () => {
    const seen = anObservation();
    const objects = { peerService: FOREIGN, clientService: FOREIGN, disruptionBudget: FOREIGN };
    const { reason, message = "" } = conditionIn(statusOf({ ...seen, objects }), "Degraded");
    assert.equal(reason, "ForeignObjects");
    assert.match(message, /PodDisruptionBudget 'example', Service 'example', Service 'example-client'$/);
  });

  test("is True when an action found what only a person can fix", () => {
    const hold = { kind: "hold", reason: "VolumesWithoutIdentity", message: "delete the claims" } as const;
    const seen = anObservation({ status: {}, members: [], size: 1, membership: "unknown" });
    assert.equal(verdictIn(statusOf(seen, hold), "Degraded"), "True VolumesWithoutIdentity");
    assert.equal(verdictIn(statusOf(seen, { ...hold, reason: "Bootstrapping" }), "Degraded"), "False NoProblems");
    assert.equal(verdictIn(statusOf(seen, NOTHING), "Degraded"), "False NoProblems");
  });

  test("lists everything, the most serious first, and each member once", () => {
    const members = [
      leader("a"),
      unhealthy("b", { pod: { trouble: "CrashLoopBackOff" } }),
      unknown("c", { pod: { refusal: "data-gone" } }),
    ];
    const seen = anObservation({
      members,
      seen: {
        alarms: [
          { memberId: "a", kind: "no-space" },
          { memberId: "f00", kind: "corrupt" },
        ],
        problems: ["spec.size: wrong"],
        strangers: { leftoverPods: [], foreignPods: ["x"] },
      },
    });
    const { reason, message = "" } = conditionIn(statusOf(seen), "Degraded");
    assert.equal(reason, "CorruptAlarm");
    const order = [
      "f00",
      "c \\(data-gone\\)",
      "\\(alarm NOSPACE\\) of a",
      "b \\(CrashLoopBackOff\\)",
      "spec.size: wrong",
      ": x",
    ];
    assert.match(message, new RegExp(order.join(".*")));
    assert.equal(message.split("CrashLoopBackOff").length, 2);
  });
});
