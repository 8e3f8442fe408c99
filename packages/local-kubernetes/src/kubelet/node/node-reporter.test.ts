import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ClusterUnderTest } from "@etcd-operator/testing/kubelet/cluster-under-test.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import type { Node } from "kubernetes-types/core/v1.d.ts";
import { onTestFinished, test } from "vitest";
import type { KubeletConfig } from "../../config.ts";
import { nodePlaces } from "../../supervisor/node-places.ts";
import { reportNode } from "./node-reporter.ts";

const BEAT_MS = 10_000;
const ref = { name: "local-2" };
const lease = { namespace: "kube-node-lease", name: "local-2" };

function aReporter() {
  const [clock, client] = [new FakeClock(), new ClusterUnderTest()];
  const nodes = nodePlaces("10.88.0.0/17", [1, 2]);
  const told: string[] = [];
  const start = () => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const config = { nodes, ...nodes[1] } as KubeletConfig;
    const events = { record: (_: unknown, { reason }: { reason: string }) => void told.push(reason) };
    const machine = { cpu: 2, memoryBytes: 2 ** 30 };
    void reportNode({ config, client, clock, machine, events, log: (line) => told.push(line) }, stop.signal);
    return () => stop.abort();
  };
  return { clock, client, told, start };
}

const readiness = ({ status }: Node) => status?.conditions?.find(({ type }) => type === "Ready")?.status;

test("a node registers, with labels that tell it from the others, and renews its Lease", async () => {
  const { clock, client, start } = aReporter();
  start();
  await clock.advance(0);
  const node = await client.get(resources.nodes, ref);
  assert.equal(readiness(node), "True");
  assert.equal(node.metadata.labels?.["topology.kubernetes.io/zone"], "local-b");
  const first = (await client.get(resources.leases, lease)).spec?.renewTime;
  await clock.advance(BEAT_MS);
  assert.notEqual((await client.get(resources.leases, lease)).spec?.renewTime, first);
});

test("a node that was given up says with its next beat that it lives, and tells so", async () => {
  const { clock, client, told, start } = aReporter();
  start();
  await clock.advance(0);
  const conditions = [{ type: "Ready", status: "Unknown" }];
  await client.patchStatus(resources.nodes, ref, { merge: { status: { conditions } } });
  await clock.advance(BEAT_MS);
  assert.equal(readiness(await client.get(resources.nodes, ref)), "True");
  assert.deepEqual(told, ["NodeReady", "NodeReady"]);
});

test("a node whose object is deleted stays deleted until its kubelet is started again", async () => {
  const { clock, client, start } = aReporter();
  const stop = start();
  await clock.advance(0);
  await client.delete(resources.nodes, ref);
  await clock.advance(60 * BEAT_MS);
  await assert.rejects(client.get(resources.nodes, ref), { code: "not-found" });
  stop();
  start();
  await clock.advance(0);
  assert.equal(readiness(await client.get(resources.nodes, ref)), "True");
});

test("a node that is there already gets the labels that it lacks, and keeps its own", async () => {
  const { clock, client, start } = aReporter();
  await client.create(resources.nodes, { metadata: { name: "local-2", labels: { mine: "yes" } } });
  start();
  await clock.advance(0);
  const { labels } = (await client.get(resources.nodes, ref)).metadata;
  assert.deepEqual([labels?.mine, labels?.["kubernetes.io/hostname"]], ["yes", "local-2"]);
});
