import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited, given, noted, running } from "@etcd-operator/testing/cluster/at-version.ts";
import {
  conditionIn,
  DONE,
  POSTPONED,
  RUNNING,
  statusAfterPasses,
  statusOf,
  verdictIn,
} from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";

import type { Action, ActionOutcome } from "../model/action.ts";

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

  test("counts a member that does not answer with its last report", () => {
    const before = [on("3.5.30", leader("a")), on("3.5.16", healthy("b")), on("3.5.30", healthy("c"))];
    const members = [on("3.5.30", leader("a")), gone("b"), on("3.5.30", healthy("c"))];
    assert.equal(statusAfterPasses({ status: RUNNING, members: before }, { members }).currentVersion, "3.5.16");
  });

  test("stays when no member responds", () => {
    const status = { ...RUNNING, currentVersion: "3.5.16" };
    assert.equal(currentVersion({ status, members: [unknown("a")], membership: "unknown" }), "3.5.16");
  });

  test("is not reported before the cluster is recorded", () => {
    assert.equal(currentVersion({ status: {}, members: [leader("a")] }), undefined);
  });
});

describe("Upgrading", () => {
  test("is False while members run what the spec says", () => {
    const status = statusOf(anObservation());
    assert.deepEqual([status.targetVersion, verdictIn(status, "Upgrading")], ["", "False AsSpecified"]);
  });

  test("is True when the spec asks for another version", () => {
    const members = [on("3.5.16", leader("a")), on("3.5.30", healthy("b")), on("3.5.30", healthy("c"))];
    const status = statusOf(anObservation({ members, version: "v3.5.30" }));
    const { status: isTrue, message } = conditionIn(status, "Upgrading");
    assert.deepEqual([status.targetVersion, isTrue], ["3.5.30", "True"]);
    assert.equal(message, "Current version: 3.5.16, desired version: 3.5.30");
  });

  test("is True while members are downgraded, though one has the lowest version already", () => {
    const members = [on("3.6.16", leader("a")), on("3.5.35", healthy("b")), on("3.6.16", healthy("c"))];
    const status = statusOf(anObservation({ members, version: "3.5.35" }));
    const { status: isTrue, message } = conditionIn(status, "Upgrading");
    assert.deepEqual([status.currentVersion, status.targetVersion, isTrue], ["3.5.35", "3.5.35", "True"]);
    assert.equal(message, "Current version: 3.5.35, desired version: 3.5.35; a runs 3.6.16, c runs 3.6.16");
  });

  test("is not True for a custom build of etcd", () => {
    const status = statusOf(anObservation({ members: [on("3.5.30+vendor.1", leader("a"))] }));
    assert.equal(verdictIn(status, "Upgrading"), "False AsSpecified");
  });

  test("is False where the way is refused, and says which one is not", () => {
    const members = [on("3.4.23", leader("a"))];
    const status = statusOf(anObservation({ members, version: "3.6.16" }));
    assert.equal(verdictIn(status, "Upgrading"), "False VersionRefused");
    assert.match(
      conditionIn(status, "Upgrading").message ?? "",
      /3\.4\.23, .* 3\.6\.16; members run 3\.4: upgrade to 3\.5/,
    );
  });

  test("warns of a source that etcd advises against", () => {
    const status = statusOf(anObservation({ members: [on("3.5.30", leader("a"))], version: "3.6.16" }));
    assert.match(conditionIn(status, "Upgrading").message ?? "", /etcd recommends 3\.5\.32 or newer/);
  });

  test("reports that the user holds it", () => {
    const members = [on("3.5.16", leader("a"))];
    const status = statusOf(anObservation({ members, spec: { paused: true } }));
    assert.match(conditionIn(status, "Upgrading").message ?? "", /; spec\.paused is set$/);
  });

  describe("halts", () => {
    const members = [leader("a"), unknown("b", { pod: { trouble: "ErrImagePull", isReady: false } }), healthy("c")];
    const status = noted({ b: "3.5.16" });

    test("where a member does not start with the new spec, and names the remedy", () => {
      const seen = edited({ members, version: "3.5.16", status }, { version: "3.5.99" });
      const halted = statusOf(given("3.5.99", seen, "b"));
      assert.equal(verdictIn(halted, "Upgrading"), "True RolloutHalted");
      const { message = "" } = conditionIn(halted, "Upgrading");
      assert.match(message, /rollout halted: b \(ErrImagePull\) did not start\. Fix or revert spec\.version/);
    });

    test("until it has come up", () => {
      const seen = running(
        "3.5.30",
        edited({ members: [leader("a"), healthy("b")], version: "3.5.16" }, { version: "3.5.30" }),
        "b",
      );
      assert.equal(verdictIn(statusOf(seen), "Upgrading"), "True VersionsDiffer");
    });
  });

  describe("says why the next step is not taken:", () => {
    const seen = anObservation({ members: [on("3.5.16", leader("a"))], version: "3.5.30" });
    const messageOf = (action: Action, outcome: ActionOutcome) =>
      conditionIn(statusOf(seen, action, outcome), "Upgrading").message ?? "";
    const why = { reason: "RollingOut", message: "a is next" } as const;
    const member = { name: "a", id: "a" };

    test("etcd or a live look said no", () => {
      const steps: Action[] = [
        { kind: "move-leader", from: member, to: member, ...why },
        { kind: "set-downgrade", step: "enable", target: "3.5", ...why },
        { kind: "declare-join", name: "d", leavesMinor: "3.5", ...why },
        { kind: "add-member", name: "d", asLearner: true, version: "3.5.30", ...why },
      ];
      for (const step of steps)
        assert.match(messageOf(step, POSTPONED), /desired version: 3\.5\.30; etcd says not now$/);
      assert.doesNotMatch(messageOf({ kind: "promote-member", member, ...why }, POSTPONED), /not now/);
    });

    test("etcd saves its log first", () => {
      const step: Action = {
        kind: "force-snapshot",
        from: 1,
        upTo: 9,
        reason: "ForcingSnapshot",
        message: "forcing a raft snapshot",
      };
      assert.match(messageOf(step, DONE), /desired version: 3\.5\.30; forcing a raft snapshot$/);
      assert.match(messageOf(step, POSTPONED), /; forcing a raft snapshot; etcd says not now$/);
    });

    test("the roll waits", () => {
      const wait: Action = { kind: "hold", reason: "RolloutWaiting", message: "a is next; waiting for b" };
      assert.match(messageOf(wait, DONE), /; a is next; waiting for b$/);
    });
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
