import assert from "node:assert/strict";
import { healthy, leader, type ObservationGiven } from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import { situationOf } from "../model/situation.ts";
import { turnedOverAt } from "./log-mark.rule.ts";

const CATCH_UP = 5_500;
const mark = (minor: string, raftIndex = 1_000) => ({ clusterID: "c1", logMark: { minor, raftIndex } });
const members = [leader("a"), healthy("b")];

function upTo(minor: string, given: ObservationGiven, spec: object = {}): number | undefined {
  return turnedOverAt(minor, situationOf(edited({ members, ...given }, spec)));
}

describe("how far the log has to have got", () => {
  test.each([
    ["3.4.23", "3.4"],
    ["3.5.30", "3.5"],
    ["3.6.16", "3.6"],
  ])("a snapshot beyond the mark, and beyond what etcd keeps behind it, in pods of ours of %s", (version, minor) => {
    // Pods of 3.6 have no such flag, and save as often by themselves.
    assert.equal(upTo(minor, { version, status: mark(minor) }), 1_000 + 10_000 + CATCH_UP);
  });

  test("counts with what the user chose", () => {
    const given = { version: "3.5.30", status: mark("3.5"), spec: { etcd: { snapshotCount: 50_000 } } };
    assert.equal(upTo("3.5", given), 1_000 + 50_000 + CATCH_UP);
  });

  test("counts with the one that saves least often, in a pod that says nothing of it", () => {
    const old = { flags: ["--name=b"] };
    const given = { version: "3.5.30", status: mark("3.5"), members: [leader("a"), healthy("b", { pod: old })] };
    assert.equal(upTo("3.5", given), 1_000 + 100_000 + CATCH_UP);
  });

  test.each([
    ["300000", 300_000],
    ["500", 100_000],
    ["many", 100_000],
  ])("counts with a variable that says %s as with %d, because a pod may be older than it", (value, count) => {
    const spec = { pod: { etcdEnv: [{ name: "ETCD_SNAPSHOT_COUNT", value }] } };
    assert.equal(upTo("3.5", { version: "3.5.30", status: mark("3.5"), spec }), 1_000 + count + CATCH_UP);
  });

  test("does not matter to 3.3, nor to the newest", () => {
    assert.equal(upTo("3.3", { version: "3.3.25", status: mark("3.3") }), undefined);
    assert.equal(upTo("3.7", { version: "3.7.3", status: mark("3.7") }), undefined);
  });

  test("is not known without a mark of this very minor", () => {
    assert.equal(upTo("3.5", { version: "3.5.30", status: mark("3.4") }), undefined);
    assert.equal(upTo("3.5", { version: "3.5.30", status: { clusterID: "c1" } }), undefined);
  });
});
