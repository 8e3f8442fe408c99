import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering, noted, running } from "@etcd-operator/testing/cluster/at-version.ts";
import { statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Observation } from "../model/observation.ts";

const members = [leader("a"), healthy("b"), healthy("c")];

function at(version: string, index: number, given: ObservationGiven = {}): Observation {
  const status = noted({ a: version, b: version, c: version });
  return answering({ appliedIndex: index }, anObservation({ members, version, status, ...given }));
}

const markIn = (seen: Observation) => statusOf(seen).logMark;
const marked = (version: string, minor: string, raftIndex: number): EtcdClusterStatus => ({
  ...noted({ a: version, b: version, c: version }),
  logMark: { minor, raftIndex },
});

describe("the mark in the log", () => {
  test.each([
    ["3.3.25", undefined],
    ["3.4.37", { minor: "3.4", raftIndex: 70 }],
    ["3.5.35", { minor: "3.5", raftIndex: 70 }],
    ["3.6.16", { minor: "3.6", raftIndex: 70 }],
    ["3.7.3", undefined],
  ])("of %s is %j, where all are when they are first seen to run it", (version, expected) => {
    assert.deepEqual(markIn(at(version, 70)), expected);
  });

  test("is set behind the one that has got furthest", () => {
    assert.equal(markIn(answering({ appliedIndex: 90 }, at("3.5.35", 70), "b"))?.raftIndex, 90);
  });

  test("stays while the log goes on, and while some run the next minor", () => {
    const seen = at("3.5.35", 5_000, { status: marked("3.5.35", "3.5", 70) });
    assert.equal(markIn(seen)?.raftIndex, 70);
    assert.equal(markIn(running("3.6.16", seen, "b", "c"))?.raftIndex, 70);
  });

  test("is set again when the last one has come to the next minor, and when the first has been downgraded", () => {
    const arrived = at("3.6.16", 5_000, { status: marked("3.5.35", "3.5", 70) });
    assert.deepEqual(markIn(arrived), { minor: "3.6", raftIndex: 5_000 });
    const back = running("3.5.35", at("3.6.16", 9_000, { status: marked("3.6.16", "3.6", 5_000) }), "b");
    assert.deepEqual(markIn(back), { minor: "3.5", raftIndex: 9_000 });
  });

  test("counts one that does not answer with the version it last ran, and waits for one that never reported", () => {
    const silent = { members: [leader("a"), healthy("b"), unknown("c")] };
    const before = marked("3.5.35", "3.5", 70);
    assert.deepEqual(markIn(at("3.6.16", 5_000, { ...silent, status: before })), before.logMark);
    const { memberStatus: _, ...unsaid } = before;
    assert.deepEqual(markIn(at("3.6.16", 5_000, { ...silent, status: unsaid })), before.logMark);
  });

  test("stays while no majority confirms the list of members", () => {
    const status = marked("3.5.35", "3.5", 70);
    assert.deepEqual(markIn(at("3.6.16", 5_000, { status, membership: "unconfirmed" })), status.logMark);
  });

  test("is set again on 3.4 when members came or went: it does not note how far that was, and 3.5 reads of it again", () => {
    const joined = { ...marked("3.4.37", "3.4", 70), memberStatus: noted({ a: "3.4.37", b: "3.4.37" }).memberStatus };
    assert.equal(markIn(at("3.4.37", 5_000, { status: joined }))?.raftIndex, 5_000);
    const later = { ...joined, logMark: { minor: "3.5", raftIndex: 70 } };
    assert.equal(markIn(at("3.5.35", 5_000, { status: later }))?.raftIndex, 70);
  });

  test("is not set before the cluster is on record, nor where its position is not reported", () => {
    assert.equal(markIn(at("3.5.35", 70, { status: {} })), undefined);
    assert.equal(markIn(anObservation({ members, version: "3.5.35" })), undefined);
  });
});
