import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { EtcdProcess } from "../model/etcd/etcd-process.ts";
import { leaks } from "./leaks.ts";
import { objectsWritten, type Written } from "./objects-under-test.ts";

const CLUSTER: Written = ["etcdclusters/a", { metadata: { uid: "1" } }];
const POD: Written = ["pods/a-1", { metadata: { ownerReferences: [{ kind: "EtcdCluster", name: "a", uid: "1" }] } }];
const CLAIM: Written = ["persistentvolumeclaims/a-1", { metadata: { uid: "2" } }];
const VOLUME: Written = ["persistentvolumes/v", { spec: { claimRef: { uid: "2" } } }];

describe("what is left behind", () => {
  test("is nothing where everything has an owner", () => {
    assert.deepEqual(leaks(objectsWritten(CLUSTER, POD, CLAIM, VOLUME), aCluster("a-1", "a-1")), []);
  });

  test.each<[string, readonly Written[]]>([
    ["pods/a-1 has outlived its owner, EtcdCluster a", [POD]],
    ["persistentvolumes/v belongs to no claim", [VOLUME]],
    [
      "etcdbackups/b waits to be deleted",
      [["etcdbackups/b", { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z", finalizers: ["x"] } }]],
    ],
  ])("is told: %s", (what, writes) => {
    assert.deepEqual(leaks(objectsWritten(...writes), { processes: [] }), [what]);
  });

  test("is a member without a pod, also one that never started", () => {
    const objects = objectsWritten(CLUSTER, POD);
    assert.deepEqual(leaks(objects, aCluster("a-1", "a-1", "a-2")), ["a-2 is a member and has no pod"]);
    assert.deepEqual(leaks(objects, aCluster("a-1", "a-1", "")), ["http://unnamed is a member and has no pod"]);
  });

  test("is an etcd whose pod is gone", () => {
    assert.deepEqual(leaks(objectsWritten(CLUSTER, POD), { processes: [aProcess("a-9", "follower", [])] }), [
      "an etcd runs on without its pod, a-9",
    ]);
  });

  function aCluster(leader: string, ...members: readonly string[]) {
    return { processes: [aProcess(leader, "leader", members)] };
  }

  /** The part of one that the check reads. */
  function aProcess(pod: string, role: "leader" | "follower", members: readonly string[]): EtcdProcess {
    const listed = members.map((name) => [name, { name, peerUrls: ["http://unnamed"] }] as const);
    return { launch: { pod }, role, data: { state: { members: new Map(listed) } } } as unknown as EtcdProcess;
  }
});
