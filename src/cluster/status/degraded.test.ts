import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  anObservation,
  gone,
  healthy,
  leader,
  NOW_MS,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "../../../test/support/cluster/an-observation.ts";
import { conditionIn, NOTHING, RUNNING, statusOf, verdictIn } from "../../../test/support/cluster/status-of.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";

const FOREIGN = { kind: "foreign" } as const;
const FOUNDING = { memberIntents: [{ name: "a", incarnation: 1, purpose: "Seed" }] } satisfies EtcdClusterStatus;
const joining = { listed: "learner", pod: { stage: "pending", answer: { health: "unknown" } } } as const;
const alarm = (kind: "no-space" | "corrupt") => ({ seen: { alarms: [{ memberId: "b", kind }] } });
const minutesAgo = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();
const LATE = { name: "b", role: "Unknown", health: "Unknown", notHealthySince: minutesAgo(2) } as const;

describe("Degraded", () => {
  const cases: [what: string, given: ObservationGiven, verdict: string][] = [
    ["all is well", {}, "False AsExpected"],
    ["a member is gone", { members: [leader("a"), healthy("b"), gone("c")] }, "True MembersNotHealthy"],
    ["a member does not answer", { members: [leader("a"), healthy("b"), unknown("c")] }, "True MembersNotHealthy"],
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
    ["a new member comes up", { members: [leader("a"), unknown("b", joining)] }, "False AsExpected"],
    [
      "a new member has been coming up for a minute",
      {
        status: { ...RUNNING, memberStatus: [LATE] },
        members: [leader("a"), unknown("b", joining)],
      },
      "True MembersNotHealthy",
    ],
    [
      "a founder comes up",
      { status: FOUNDING, members: [unknown("a", { listed: false })], membership: "unknown" },
      "False AsExpected",
    ],
    [
      "a founder has not come up for a minute",
      {
        status: { ...FOUNDING, memberStatus: [{ ...LATE, name: "a" }] },
        members: [unknown("a", { listed: false })],
        membership: "unknown",
      },
      "True MembersNotHealthy",
    ],
    ["the spec is not valid", { seen: { problems: ["spec.size: wrong"] } }, "True InvalidSpec"],
    ["a member found corrupt data", alarm("corrupt"), "True CorruptAlarm"],
    ["a member has no space", alarm("no-space"), "True NoSpaceAlarm"],
    [
      "somebody else's pods have our labels",
      { seen: { strangers: { leftoverPods: [], foreignPods: ["x"] } } },
      "True ForeignPods",
    ],
    [
      "the pods of a predecessor are still going",
      { seen: { strangers: { leftoverPods: ["x"], foreignPods: [] } } },
      "False AsExpected",
    ],
    ["it is paused and not as wanted", { size: 5, spec: { paused: true } }, "False AsExpected"],
  ];
  for (const [what, given, verdict] of cases) {
    test(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictIn(statusOf(anObservation(given)), "Degraded"), verdict);
    });
  }

  test("names the objects that are somebody else's", () => {
    const seen = anObservation();
    const objects = { peerService: FOREIGN, clientService: FOREIGN, disruptionBudget: FOREIGN };
    const { reason, message = "" } = conditionIn(statusOf({ ...seen, objects }), "Degraded");
    assert.equal(reason, "ForeignObjects");
    assert.match(message, /PodDisruptionBudget 'example', Service 'example', Service 'example-client'$/);
  });

  test("is True when an action found what only a human can mend", () => {
    const hold = { kind: "hold", reason: "VolumesWithoutIdentity", message: "delete the claims" } as const;
    const seen = anObservation({ status: {}, members: [], size: 1, membership: "unknown" });
    assert.equal(verdictIn(statusOf(seen, hold), "Degraded"), "True VolumesWithoutIdentity");
    assert.equal(verdictIn(statusOf(seen, { ...hold, reason: "Bootstrapping" }), "Degraded"), "False AsExpected");
    assert.equal(verdictIn(statusOf(seen, NOTHING), "Degraded"), "False AsExpected");
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
    const order = ["f00", "c \\(data-gone\\)", "it concerns a", "b \\(CrashLoopBackOff\\)", "spec.size: wrong", ": x"];
    assert.match(message, new RegExp(order.join(".*")));
    assert.equal(message.split("CrashLoopBackOff").length, 2);
  });
});
