import assert from "node:assert/strict";
import { anObservation, gone, healthy, leader, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { beforeEach, describe, test } from "vitest";
import { Metrics } from "../../context/metrics.ts";
import { type ClusterGauges, clusterGauges } from "./gauges.ts";

const KEY = "prod/example";
let metrics: Metrics;
let gauges: ClusterGauges;

beforeEach(() => {
  metrics = new Metrics();
  gauges = clusterGauges(metrics.clusters);
});

async function figureOf(what: string): Promise<number | undefined> {
  const line = new RegExp(`^etcd_operator_cluster_${what}{ClusterName="example",Namespace="prod"} (\\d+)$`, "m");
  const found = line.exec((await metrics.page()).text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function showLeader(name: string | undefined): void {
  gauges.show(
    KEY,
    anObservation({ members: ["a", "b", "c"].map((each) => healthy(each, { isLeader: each === name })) }),
  );
}

describe("the figures of a cluster", () => {
  test("report how many members it should have, has, and how many are healthy", async () => {
    gauges.show(KEY, anObservation({ size: 5, members: [leader("a"), healthy("b"), unknown("c"), gone("d")] }));
    assert.deepEqual([await figureOf("size"), await figureOf("members"), await figureOf("healthy_members")], [5, 4, 2]);
  });

  test("trust no size of a spec that is wrong", async () => {
    gauges.show(KEY, anObservation({ seen: { problems: ["spec.size: wrong"] } }));
    assert.equal(await figureOf("size"), undefined);
  });

  test("report the size of the largest database, and the alarms", async () => {
    gauges.show(KEY, anObservation({ seen: { alarms: [{ memberId: "a", kind: "no-space" }] } }));
    assert.deepEqual([await figureOf("database_size_bytes"), await figureOf("alarms")], [20_480, 1]);
  });

  test("keep the size of the database while no member responds", async () => {
    const memberStatus = [{ name: "a", role: "Unknown" as const, health: "Unknown" as const, databaseSizeBytes: 77 }];
    gauges.show(KEY, anObservation({ members: [unknown("a")], membership: "unknown", status: { memberStatus } }));
    assert.equal(await figureOf("database_size_bytes"), 77);
  });

  test("count changes of the leader, and no time without one", async () => {
    showLeader("a");
    showLeader(undefined);
    showLeader("a");
    assert.equal(await figureOf("leader_changes_total"), 0);
    showLeader("b");
    assert.equal(await figureOf("leader_changes_total"), 1);
  });

  test("end with the cluster, and its successor of the same name starts over", async () => {
    showLeader("a");
    gauges.forget(KEY);
    metrics.clusters.forget(KEY);
    for (const what of ["size", "leader_changes_total"]) assert.equal(await figureOf(what), undefined);
    showLeader("b");
    assert.equal(await figureOf("leader_changes_total"), 0);
  });
});
