import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { amnesicStarts, type MemberStart, memberStart } from "./member-start.ts";

describe("a start of a member is read from its log", () => {
  test.each([
    ['{"msg":"starting local member","local-member-id":"a1","cluster-id":"c1"}', "nothing"],
    ['{"msg":"restarting local member","cluster-id":"c1","local-member-id":"a1","commit-index":7}', "log"],
    ["2026-01-01 00:00:00.1 I | etcdserver: starting member a1 in cluster c1", "nothing"],
    ["2026-01-01 00:00:00.1 I | etcdserver: restarting member a1 in cluster c1 at commit index 7", "log"],
  ])("%s", (text, from) => {
    assert.deepEqual(memberStart("a", "t", text), { pod: "a", time: "t", from, memberId: "a1", clusterId: "c1" });
  });

  test("and nothing else is one", () => {
    assert.equal(memberStart("a", "t", '{"msg":"starting an etcd server","member-initialized":false}'), undefined);
    assert.equal(memberStart("a", "t", '{"msg":"ready to serve client requests"}'), undefined);
  });
});

describe("a start is amnesic", () => {
  const start = (more: Partial<MemberStart>): MemberStart => ({
    pod: "a",
    time: "t",
    from: "log",
    memberId: "a1",
    clusterId: "c1",
    ...more,
  });
  const first = start({ from: "nothing" });

  test("when a member begins with nothing for the second time", () => {
    assert.deepEqual(amnesicStarts([first, start({})], { clusterIds: ["c1"] }), []);
    assert.equal(amnesicStarts([first, start({}), first], { clusterIds: ["c1"] }).length, 1);
    assert.equal(amnesicStarts([start({}), first], { clusterIds: ["c1"] }).length, 1, "it was restored before");
  });

  test("when it is one of another cluster, unless that is expected", () => {
    const foreign = start({ clusterId: "c2", memberId: "b1" });
    assert.equal(amnesicStarts([first, foreign], { clusterIds: ["c1"] }).length, 1);
    assert.deepEqual(amnesicStarts([first, foreign], { clusterIds: ["c1", "c2"] }), []);
    assert.deepEqual(amnesicStarts([first, foreign], {}), []);
  });

  test("but not of the one that may begin again, and of no other", () => {
    const again = start({ pod: "b", memberId: "b1", from: "nothing" });
    const elsewhere = start({ pod: "b", memberId: "b2", clusterId: "c2" });
    const allowed = { clusterIds: ["c1"], beginner: "b" };
    assert.deepEqual(amnesicStarts([first, again, again, elsewhere], allowed), []);
    assert.equal(amnesicStarts([first, again, first, again], allowed).length, 1);
    assert.equal(amnesicStarts([first, { ...elsewhere, pod: "a" }], allowed).length, 1);
  });
});
