import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import {
  type OldMember,
  oldPeerUrl,
  oldPod,
  oldServices,
} from "@etcd-operator/testing/scenario/operator/old-operator.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, describe, test } from "vitest";

const scenario = clusterScenario({ operator: false });
const NAMES = ["legacy-4vdq2w7kxm", "legacy-h8s5b9cz6t", "legacy-x2m7nq4f8d"];

let cluster: ClusterUnderTest;

beforeAll(async () => {
  cluster = await scenario.create("legacy", { version: "3.3.25-amd64" });
  const object = await cluster.get();
  for (const service of oldServices(object)) await scenario.client.create(resources.services, service);
  const [seed = "", ...others] = NAMES;
  let newest = await startOld({ name: seed, peers: [], state: "new" });
  for (const [index, name] of others.entries()) {
    const peerUrls = [oldPeerUrl(object, name)];
    const add = () => cluster.ask(newest, (client) => client.addMember({ peerUrls, asLearner: false }));
    await until(add, { what: `etcd to take ${name}` });
    newest = await startOld({ name, peers: NAMES.slice(0, index + 1), state: "existing" });
  }
});

async function startOld(member: OldMember): Promise<Stored<Pod>> {
  const object = await cluster.get();
  const { metadata } = await scenario.client.create(resources.pods, oldPod(object, member));
  const isUp = async () => {
    const pod = await scenario.client.get(resources.pods, metadata);
    await cluster.ask(pod, (client) => client.range({ key: "any", countOnly: true }));
    return pod;
  };
  return until(isUp, { what: `${member.name} to be up` });
}

describe("a cluster that coreos/etcd-operator made", { timeout: 240_000 }, () => {
  test("is taken over as it is: no pod is touched, no member changes, and its id is on record", async () => {
    const [membersBefore, podsBefore] = [await cluster.memberIds(), await cluster.podUids()];
    const [answer] = await cluster.answers();
    const witness = await cluster.witness();
    await witness.writesAgain();
    await scenario.startOperator();
    const { status } = await cluster.settled(3);
    assert.equal(status?.clusterID, answer?.status.clusterId.toString(16));
    assert.deepEqual(await cluster.memberIds(), membersBefore);
    assert.deepEqual(await cluster.podUids(), podsBefore);
    for (const { spec, status: podStatus } of await cluster.pods()) {
      assert.equal(spec?.restartPolicy, "Never");
      assert.equal(podStatus?.containerStatuses?.[0]?.restartCount, 0);
    }
    await cluster.verify(witness);
  });

  test("has a member replaced that dies, as such pods never restart", async () => {
    const witness = await cluster.witness({ name: "dies" });
    await witness.writesAgain();
    const { leader } = await cluster.roles();
    await signalEtcd(scenario, leader, "SIGKILL");
    await cluster.areRemoved([leader]);
    await cluster.settled(3);
    await witness.writesAgain();
    await cluster.verify(witness);
  });

  test("can be resized from then on, and goes like any other", async () => {
    const witness = await cluster.witness({ name: "resized" });
    await cluster.changeSpec({ size: 4 });
    await cluster.settled(4);
    await cluster.changeSpec({ size: 1 });
    await cluster.settled(1);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
