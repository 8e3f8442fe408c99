import assert from "node:assert/strict";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { SCOPE_ANNOTATION } from "../../api/group.ts";
import { changeOfCluster } from "./cluster-change.ts";

const STATUS: EtcdClusterStatus = {
  clusterID: "c1",
  incarnation: 1,
  memberIntents: [
    { name: "a", incarnation: 1, purpose: "Join" },
    { name: "b", incarnation: 1, purpose: "Join" },
  ],
};
const { cluster: seen } = anObservation({ status: STATUS });
const withMetadata = (metadata: Partial<typeof seen.metadata>) => ({
  ...seen,
  metadata: { ...seen.metadata, ...metadata },
});
const withStatus = (status: EtcdClusterStatus) => ({ ...seen, status: { ...STATUS, ...status } });

describe("a cluster is not what it was", () => {
  const cases: [change: RegExp, live: typeof seen | undefined][] = [
    [/does not exist any more/, undefined],
    [/was deleted and created again/, withMetadata({ uid: "another" })],
    [/being deleted/, withMetadata({ deletionTimestamp: "2030-01-01T00:00:00Z" })],
    [/belongs to another operator/, withMetadata({ annotations: { [SCOPE_ANNOTATION]: "clusterwide" } })],
    [/is paused/, { ...seen, spec: { ...seen.spec, paused: true } }],
    [/new spec/, withMetadata({ generation: 2 })],
    [/new status/, withStatus({ clusterID: "c2" })],
    [/new status/, withStatus({ incarnation: 2 })],
    [/new status/, withStatus({ memberIntents: [] })],
    [/new status/, withStatus({ restore: inRestore("Joining").restore })],
    [/new status/, withStatus({ memberIntents: [{ name: "a", incarnation: 1, purpose: "Seed" }] })],
  ];
  test.each(cases)("%s", (change, live) => assert.match(changeOfCluster(seen, live) ?? "", change));
});

test("a cluster is the same for whatever no action depends on", () => {
  const { memberIntents = [] } = STATUS;
  const live = withMetadata({ resourceVersion: "11", labels: { x: "y" } });
  const status = { ...STATUS, phase: "Failed" as const, readyMembers: 2, memberIntents: memberIntents.toReversed() };
  assert.equal(changeOfCluster(seen, { ...live, status }), undefined);
});

test("a cluster without a status is the same as one with an empty status", () => {
  const { status: _, ...bare } = seen;
  assert.equal(changeOfCluster(bare, { ...bare, status: {} }), undefined);
});
