import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const urlOf = (name: string) => `http://${name}.example.prod.svc:2380`;
const votersOf = (...names: string[]) => Object.fromEntries(names.map((name) => [name, urlOf(name)]));
const recordOf = (...names: string[]) => ({ term: 1, index: 1, version: "3.5.30", voters: votersOf(...names) });

/** Whose claims are written on, and which voters that says. */
function noted(given: ObservationGiven) {
  const action = plan(anObservation({ claims: true, ...given }));
  if (action.kind !== "note-cluster") return action.reason;
  return action.claims.map(({ claim, record }) => [claim.name, Object.keys(record.voters).join()]);
}

describe("what a later EtcdCluster has to know", () => {
  test("is on every voter's claim, once there is nothing more urgent", () => {
    const old = { claim: { record: recordOf("a") } };
    const members = [leader("a", old), healthy("b", old), healthy("c", { claim: { record: undefined } })];
    assert.deepEqual(noted({ members }), [
      ["a", "a,b,c"],
      ["b", "a,b,c"],
      ["c", "a,b,c"],
    ]);
    assert.notEqual(typeof noted({ members, size: 5 }), "object");
  });

  test("is not written again while it holds, wherever the log has got to", () => {
    const known = { claim: { record: { ...recordOf("a", "b", "c"), index: 99 } } };
    assert.equal(noted({ members: [leader("a", known), healthy("b", known), healthy("c", known)] }), "UpToDate");
  });

  test("is the version, too, and that its member does not leave after all", () => {
    const known = (more: object) => ({ claim: { record: recordOf("a", "b"), ...more } });
    const older = known({ record: { ...recordOf("a", "b"), version: "3.5.29" } });
    assert.deepEqual(noted({ members: [leader("a", known({})), healthy("b", older)] }), [["b", "a,b"]]);
    const leaving = known({ isLeaving: true });
    assert.deepEqual(noted({ members: [leader("a", known({})), healthy("b", leaving)] }), [["b", "a,b"]]);
  });

  test("is written before the claim of a removed member is deleted, which says that it leaves", () => {
    const known = { claim: { record: recordOf("a", "b") } };
    const removed = unknown("b", { listed: false, pod: null, claim: { memberId: "b", isLeaving: true } });
    assert.deepEqual(noted({ size: 1, members: [leader("a", known), removed] }), [["a", "a"]]);
    const current = { claim: { record: recordOf("a") } };
    assert.equal(noted({ size: 1, members: [leader("a", current), removed] }), "RemovingClaims");
  });

  test("is taken from a majority alone, and goes on no claim of another member", () => {
    const old = { claim: { record: recordOf("a") } };
    assert.notEqual(typeof noted({ members: [leader("a", old), gone("b")], membership: "unconfirmed" }), "object");
    const other = { claim: { record: recordOf("a"), memberId: "x" } };
    const names = noted({ members: [leader("a", old), healthy("b", other), healthy("c", old)] });
    assert.ok(!JSON.stringify(names).includes('["b"'));
  });
});
