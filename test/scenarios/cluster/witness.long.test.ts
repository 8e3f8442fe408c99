import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { handWrittenEtcd } from "@etcd-operator/testing/local/etcd-pods.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, describe, test } from "vitest";

// A proof that nothing was lost must be able to notice that something was. No operator is needed for that.
const scenario = clusterScenario({ operator: false });

const clientService = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "etcd-client", namespace: "default" },
  spec: { selector: { app: "etcd" }, ports: [{ name: "client", port: 2379 }] },
};

let address: string;

beforeAll(async () => {
  await scenario.local.apply(clientService);
  const { spec } = await scenario.client.get(resources.services, clientService.metadata);
  address = `${spec?.clusterIP}:2379`;
});

/** Pods that carry the labels of a cluster, but have no controller. */
async function startByHand(): Promise<ClusterUnderTest> {
  const objects = handWrittenEtcd({ claims: true });
  await scenario.local.apply(...objects);
  await scenario.local.kubectl("label", "pod", "a", "b", "c", "etcd_cluster=by-hand", "--overwrite");
  await scenario.local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/a", "pod/b", "pod/c");
  return new ClusterUnderTest(scenario.client, { name: "by-hand", namespace: "default" });
}

async function ready(pods: readonly Stored<Pod>[]): Promise<void> {
  const names = pods.map(({ metadata }) => `pod/${metadata.name}`);
  await scenario.local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", ...names);
}

describe("a witness of an etcd cluster that was written by hand", { timeout: 180_000 }, () => {
  test("sees no write lost when a follower and then the leader is killed", async () => {
    const cluster = await startByHand();
    const witness = new Witness({ name: "by-hand", endpoint: () => ({ address }) });
    try {
      await witness.writesAgain(200);
      const { followers } = await cluster.roles();
      assert.ok(followers[0]);
      await signalEtcd(scenario, followers[0], "SIGKILL");
      await witness.writesAgain(200);
      await ready(followers);
      const { leader } = await cluster.roles();
      await signalEtcd(scenario, leader, "SIGKILL");
      await witness.writesAgain(200);
      await ready(await cluster.pods());
      await until(async () => (await cluster.answers()).length === 3, { what: "all three to answer" });
      await cluster.verify(witness);
    } finally {
      await witness.stop();
    }
  });

  test("notices when the cluster is wiped and bootstrapped again, though it has the same name, ids and addresses", async () => {
    const cluster = await startByHand();
    const witness = new Witness({ name: "by-hand-again", endpoint: () => ({ address }) });
    try {
      await witness.writesAgain(100);
      await scenario.local.kubectl("delete", "pod,pvc", "--all", "--wait");
      const again = await startByHand();
      await until(async () => (await again.answers()).length === 3, { what: "all three to answer" });
      await assert.rejects(cluster.verify(witness), /broken promises.*\n.*was acknowledged|had been given out/s);
    } finally {
      await witness.stop();
    }
  });
});
