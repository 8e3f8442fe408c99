import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { gone, healthy, leader, type ObservationGiven, unknown } from "../../test/support/cluster/an-observation.ts";
import { edited, noted, running } from "../../test/support/cluster/at-version.ts";
import type { Observation } from "./observation.ts";
import { situationOf } from "./situation.ts";
import { versionOfNewMember, versionOfReturningMember } from "./versions.ts";

describe("a member that comes back", () => {
  const without = [leader("a"), healthy("b"), gone("c")];

  /** What c comes back with, after the others have been made as given and the spec was changed. */
  function back(from: string, to: string, given: ObservationGiven = {}, change = (seen: Observation) => seen): string {
    const now = situationOf(
      change(
        edited(
          { members: without, claims: true, version: from, status: noted({ c: from }), ...given },
          { version: to },
        ),
      ),
    );
    const member = now.members.find(({ name }) => name === "c");
    assert.ok(member);
    return versionOfReturningMember(member, now);
  }

  test("runs what it ran", () => {
    assert.equal(back("3.5.16", "3.5.16"), "3.5.16");
    assert.equal(back("3.5.16", "3.7.3"), "3.5.16", "where the spec's version is refused");
  });

  test("runs what the spec says if all the others are well", () => {
    assert.equal(back("3.5.16", "3.5.30"), "3.5.30");
    assert.equal(back("3.5.16", "3.5.30", { members: [leader("a"), unknown("b"), gone("c")] }), "3.5.16");
    assert.equal(back("3.5.16", "3.5.30", { membership: "unconfirmed" }), "3.5.16");
  });

  test("is never the first of a newer minor: that may have been refused for reasons that nobody looked at here", () => {
    assert.equal(back("3.5.35", "3.6.16"), "3.5.35");
    assert.equal(
      back("3.5.35", "3.6.16", {}, (seen) => running("3.6.16", seen, "a")),
      "3.6.16",
    );
  });

  test("goes back with the others", () => {
    assert.equal(
      back("3.6.16", "3.5.35", {}, (seen) => running("3.5.35", seen, "a", "b")),
      "3.5.35",
    );
  });

  test("runs what the others have reached if nobody knows what it ran", () => {
    assert.equal(back("3.5.16", "3.5.16", { status: { ...noted({}), currentVersion: "3.5.9" } }), "3.5.9");
  });
});

describe("a new member", () => {
  const three = [leader("a"), healthy("b"), healthy("c")];
  const versionIn = (given: ObservationGiven, spec: object) => versionOfNewMember(situationOf(edited(given, spec)));
  const status = { ...noted({}), currentVersion: "3.5.16" };

  test("runs what the others have reached, and takes the place of an outdated one with what the spec says", () => {
    const given = { members: three, version: "3.5.16", status };
    assert.equal(versionIn(given, { version: "3.5.30", size: 5 }), "3.5.16");
    assert.equal(versionIn(given, { version: "3.5.30" }), "3.5.30");
    assert.equal(versionIn(given, { version: "3.7.3" }), "3.5.16");
  });

  test("runs what the spec says if it is the first", () => {
    assert.equal(versionIn({ members: [], size: 1, status: {} }, { version: "v3.5.30" }), "3.5.30");
  });
});
