import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unknown,
} from "../../../test/support/cluster/an-observation.ts";
import {
  conditionIn,
  RUNNING,
  statusAfterPasses,
  statusOf,
  verdictIn,
} from "../../../test/support/cluster/status-of.ts";

/** The same member, answering with a version of its own. */
function on(version: string, member: MemberGiven): MemberGiven {
  const [pod] = anObservation({ members: [member] }).pods;
  const status = pod?.answer.status;
  assert.ok(status);
  return { ...member, pod: { answer: { health: "healthy", status: { ...status, version } } } };
}

describe("the version that runs", () => {
  const currentVersion = (given: ObservationGiven) => statusOf(anObservation(given)).currentVersion;

  test("is the lowest that members report, as numbers and not as text", () => {
    const members = [on("3.5.16", leader("a")), on("3.5.9", healthy("b")), on("3.5.30", healthy("c"))];
    assert.equal(currentVersion({ members }), "3.5.9");
  });

  test("counts a member that is silent with what it last said", () => {
    const before = [on("3.5.30", leader("a")), on("3.5.16", healthy("b")), on("3.5.30", healthy("c"))];
    const members = [on("3.5.30", leader("a")), gone("b"), on("3.5.30", healthy("c"))];
    assert.equal(statusAfterPasses({ status: RUNNING, members: before }, { members }).currentVersion, "3.5.16");
  });

  test("stays when nobody answers", () => {
    const status = { ...RUNNING, currentVersion: "3.5.16" };
    assert.equal(currentVersion({ status, members: [unknown("a")], membership: "unknown" }), "3.5.16");
  });

  test("is not told before the cluster is on record", () => {
    assert.equal(currentVersion({ status: {}, members: [leader("a")] }), undefined);
  });
});

describe("Upgrading", () => {
  test("is False while members run what the spec says", () => {
    const status = statusOf(anObservation());
    assert.deepEqual([status.targetVersion, verdictIn(status, "Upgrading")], ["", "False AsWanted"]);
  });

  test("is True when the spec asks for another version", () => {
    const members = [on("3.5.16", leader("a")), on("3.5.30", healthy("b")), on("3.5.30", healthy("c"))];
    const status = statusOf(anObservation({ members, version: "v3.5.30" }));
    const { status: isTrue, message } = conditionIn(status, "Upgrading");
    assert.deepEqual([status.targetVersion, isTrue], ["3.5.30", "True"]);
    assert.equal(message, "Current version: 3.5.16, desired version: 3.5.30; members that run keep theirs");
  });

  const quiet: [what: string, given: ObservationGiven][] = [
    ["the cluster is being created", { status: { ...RUNNING, phase: "Creating" }, membership: "unknown" }],
    ["the spec cannot be trusted", { seen: { problems: ["spec.version: wrong"] } }],
  ];
  for (const [what, given] of quiet) {
    test(`has no target while ${what}`, () => {
      const members = [on("3.5.16", leader("a", { pod: { isReady: false } }))];
      assert.equal(statusOf(anObservation({ members, ...given })).targetVersion, "");
    });
  }
});
