import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type ChangeAsked, EtcdFacts } from "../model/etcd/facts.ts";
import { forbiddenChanges } from "./violations.ts";

const A_CHANGE: ChangeAsked = {
  ...{ atMs: 0, clusterId: 1n, via: "a-1", kind: "add-member", id: 4n, peerUrls: ["http://four:2380"] },
  ...{ isLearner: true, knowsLearners: true, absent: [], unstarted: [], underWay: 0 },
};
const A_REMOVAL: Partial<ChangeAsked> = { kind: "remove-member", id: 2n, isLearner: false, peerUrls: [] };

describe("membership changes", () => {
  test.each<[string, Partial<ChangeAsked>]>([
    ["of one who comes to a cluster that is well", {}],
    ["of one who comes as a voter, where there are no learners", { isLearner: false, knowsLearners: false }],
    ["that arrive twice", { unstarted: ["http://four:2380"] }],
    ["that remove a healthy member, as all are", A_REMOVAL],
    ["that remove the one who is down", { ...A_REMOVAL, absent: [2n] }],
    ["that remove a learner while a voter is down", { ...A_REMOVAL, isLearner: true, absent: [3n] }],
  ])("may be asked for, %s", (_, change) => {
    assert.deepEqual(forbiddenChanges(factsWith(change)), []);
  });

  test.each<[RegExp, Partial<ChangeAsked>]>([
    [/another change was under way/, { underWay: 1 }],
    [/added while http:\/\/three:2380 had not started/, { unstarted: ["http://three:2380"] }],
    [/added as a voter, though it could have been a learner/, { isLearner: false }],
    [/member 2 was removed while 3 was down/, { ...A_REMOVAL, absent: [3n] }],
  ])("must not be asked for: %s", (why, change) => {
    const [found = ""] = forbiddenChanges(factsWith(change));
    assert.match(found, why);
  });

  test("that the model of etcd objects to are reported", () => {
    const facts = factsWith({});
    facts.violations.push("two run on one volume");
    assert.deepEqual(forbiddenChanges(facts), ["two run on one volume"]);
  });

  test("of two clusters with one token are reported", () => {
    const facts = factsWith({});
    for (const clusterId of [1n, 2n])
      facts.clusters.push({ atMs: 0, clusterId, how: "bootstrapped", token: "t", by: [] });
    assert.deepEqual(forbiddenChanges(facts), ["two clusters have the token t"]);
  });

  function factsWith(change: Partial<ChangeAsked>): EtcdFacts {
    const facts = new EtcdFacts();
    facts.changes.push({ ...A_CHANGE, ...change });
    return facts;
  }
});
