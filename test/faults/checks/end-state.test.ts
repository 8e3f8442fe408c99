import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { comingsAndGoings, differences, endState } from "./end-state.ts";
import { objectsWritten, type Written } from "./objects-under-test.ts";

const UID = "453ca37c-a560-41dc-a68a-b7a5bf4a6466";

describe("what a run left behind", () => {
  test("is the same whatever names chance has made, and whenever it was", () => {
    const left = (chance: string, at: string, ip: string) =>
      endState(
        objectsWritten(aPod(`a-${chance}`, { command: [`--name=a-${chance}`, `--listen=${ip}`] }), [
          "etcdclusters/a",
          { metadata: { creationTimestamp: at }, status: { ready: [`a-${chance}`], since: at } },
        ]),
      );
    const [one, other] = [
      left("6kfxtlefck", "2030-01-01T00:00:00Z", "10.0.0.1"),
      left("lxstc34jfk", "2031-02-03T04:05:06Z", "10.0.0.2"),
    ];
    assert.deepEqual(one, other);
    assert.ok(one.includes('etcdclusters/a.status.ready[] = "a-#1"'), one.join("\n"));
  });

  test("knows members apart by the order in which they came", () => {
    const first = endState(objectsWritten(aPod("a-6kfxtlefck", { x: 1 }), aPod("a-lxstc34jfk", { x: 2 })));
    const turned = endState(objectsWritten(aPod("a-6kfxtlefck", { x: 2 }), aPod("a-lxstc34jfk", { x: 1 })));
    assert.notDeepEqual(first, turned);
  });

  test("has the voters that a claim names, in whatever order their ids have put them", () => {
    const left = (index: number, ...names: string[]) => {
      const voters = Object.fromEntries(
        names.map((name, at) => [`${at}`.padStart(16, "0"), `http://a-${name}.a:2380`]),
      );
      const record = JSON.stringify({ term: 1, index, version: "3.5.16", voters });
      const annotations = { "etcd.database.coreos.com/cluster-record": record };
      return endState(objectsWritten(["persistentvolumeclaims/a-6kfxtlefck", { metadata: { annotations } }]));
    };
    assert.deepEqual(left(3, "6kfxtlefck", "lxstc34jfk"), left(4, "6kfxtlefck", "lxstc34jfk"));
    assert.notDeepEqual(left(3, "6kfxtlefck"), left(3, "6kfxtlefck", "lxstc34jfk"));
  });

  test("has the names in a message, in whatever order chance has put them", () => {
    const left = (first: string, other: string, ...named: string[]) => {
      const message = `2 members run on it (${named.map((name) => `a-${name}`).join(", ")}); removing one of them`;
      const status = { conditions: [{ type: "Spread", message }] };
      return endState(objectsWritten(aPod(`a-${first}`, {}), aPod(`a-${other}`, {}), ["etcdclusters/a", { status }]));
    };
    const [b, c] = ["6kfxtlefck", "lxstc34jfk"];
    assert.deepEqual(left(b, c, b, c), left(c, b, b, c));
    assert.notDeepEqual(left(b, c, b, c), left(b, c, b));
  });

  test("does not depend on which operator leads, but on whether one does", () => {
    const members = [aPod("a-6kfxtlefck", {}), aPod("a-lxstc34jfk", {})];
    const left = (status: object) => endState(objectsWritten(...members, ["etcdclusters/a", { status }]));
    const ledBy = (name: string) => {
      const roleOf = (member: string) => ({ name: member, role: member === name ? "Leader" : "Follower" });
      return left({ leader: name, memberStatus: ["a-6kfxtlefck", "a-lxstc34jfk"].map(roleOf) });
    };
    assert.deepEqual(ledBy("a-6kfxtlefck"), ledBy("a-lxstc34jfk"));
    assert.notDeepEqual(left({ leader: "a-6kfxtlefck" }), left({}));
  });

  test.each<[string, Written]>([
    ["a Secret", ["secrets/transfer", {}]],
    ["a Service", ["services/b", {}]],
    ["a claim", ["persistentvolumeclaims/b", {}]],
    ["a volume", [`persistentvolumes/pvc-${UID}`, {}]],
    ["a finalizer", ["etcdclusters/a", { metadata: { finalizers: ["x"] } }]],
    ["another value", ["etcdclusters/a", { status: { phase: "Failed" } }]],
  ])("differs by %s", (_, more) => {
    const cluster: Written = ["etcdclusters/a", {}];
    const found = differences(endState(objectsWritten(cluster)), endState(objectsWritten(cluster, more)));
    assert.ok(found.length > 0);
  });

  test.each<Written>([
    ["leases/operator", {}],
    ["events/x", {}],
    ["pods/a", { status: { phase: "Running" } }],
    ["pods/a", { metadata: { resourceVersion: "7", generation: 3, managedFields: [] } }],
  ])("does not hang on %o", (...more) => {
    const pod: Written = ["pods/a", {}];
    assert.deepEqual(endState(objectsWritten(pod)), endState(objectsWritten(pod, more)));
  });

  function aPod(name: string, spec: object): Written {
    return [`pods/${name}`, { spec }];
  }
});

describe("comings and goings", () => {
  test("are counted by kind and name, without what chance has added to it, after the beginning", () => {
    const objects = objectsWritten(
      ["pods/a-6kfxtlefck", {}],
      ["pods/a-lxstc34jfk", {}],
      ["pods/a-lxstc34jfk", { spec: {} }],
      ["pods/a-6kfxtlefck", undefined],
      [`persistentvolumes/pvc-${UID}`, {}],
      ["events/x", {}],
    );
    const [first] = objects.events;
    assert.deepEqual(comingsAndGoings(objects, first?.revision ?? 0n), [
      "persistentvolumes/pvc-<uid> created 1 times",
      "pods/a-* created 1 times",
      "pods/a-* deleted 1 times",
    ]);
  });
});

describe("differences", () => {
  test("count how often there is something", () => {
    assert.deepEqual(differences(["a", "a", "b"], ["a", "c"]), ["missing: a", "missing: b", "unexpected: c"]);
  });
});
