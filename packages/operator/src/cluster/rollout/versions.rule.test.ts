import assert from "node:assert/strict";
import { gone, healthy, leader, type ObservationGiven } from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited, noted } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { VersionChange } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { versionOfNewMember, versionOfReturningMember } from "./versions.rule.ts";

describe("a member that comes back", () => {
  /** What c comes back with, which ran a version, and on whose claim something was noted. */
  function back(ran: string, spec: string, returnsWith?: VersionChange, status = noted({ c: ran })): string {
    const members = [leader("a"), healthy("b"), gone("c", { claim: { returnsWith } })];
    const now = situationOf(edited({ members, claims: true, version: ran, status }, { version: spec }));
    const member = now.members.find(({ name }) => name === "c");
    assert.ok(member);
    return versionOfReturningMember(member, now);
  }

  test("runs what it ran, though the spec says something else: that it may is not confirmed", () => {
    assert.equal(back("3.5.16", "3.5.16"), "3.5.16");
    assert.equal(back("3.5.16", "3.5.30"), "3.5.16");
    assert.equal(back("3.4.23", "3.5.30"), "3.4.23");
  });

  test("runs what it was taken down for", () => {
    assert.equal(back("3.6.16", "3.7.3", { from: "3.6.16", to: "3.7.3" }), "3.7.3");
    assert.equal(back("3.6.16", "v3.5.35", { from: "3.6.16", to: "3.5.35" }), "3.5.35");
  });

  test("does not run what has been corrected or withdrawn since, nor what it was taken down for once before", () => {
    assert.equal(back("3.6.16", "3.7.2", { from: "3.6.16", to: "3.7.3" }), "3.6.16");
    assert.equal(back("3.6.16", "3.6.16", { from: "3.6.16", to: "3.7.3" }), "3.6.16");
    assert.equal(back("3.7.4", "3.7.3", { from: "3.6.16", to: "3.7.3" }), "3.7.4");
  });

  test("runs what the others have reached if its previous version is unknown", () => {
    assert.equal(back("3.5.16", "3.5.30", undefined, { ...noted({}), currentVersion: "3.5.9" }), "3.5.9");
  });
});

describe("a new member", () => {
  const three = [leader("a"), healthy("b"), healthy("c")];
  const versionIn = (given: ObservationGiven, spec: object) => versionOfNewMember(situationOf(edited(given, spec)));
  const status = { ...noted({}), currentVersion: "3.5.16" };

  test("runs what the others have reached, and replaces an outdated one with what the spec says", () => {
    const given = { members: three, version: "3.5.16", status };
    assert.equal(versionIn(given, { version: "3.5.30", size: 5 }), "3.5.16");
    assert.equal(versionIn(given, { version: "3.5.30" }), "3.5.30");
    assert.equal(versionIn(given, { version: "3.7.3" }), "3.5.16");
  });

  test("runs what the spec says if it is the first", () => {
    assert.equal(versionIn({ members: [], size: 1, status: {} }, { version: "v3.5.30" }), "3.5.30");
  });
});
