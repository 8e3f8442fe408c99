import assert from "node:assert/strict";
import {
  RESTORE_ANNOTATION,
  type RestoreRequest,
  restoreAnnotation,
} from "@etcd-operator/operator/api/restore-request.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();

const REQUEST: RestoreRequest = {
  name: "never",
  uid: "11111111-1111-1111-1111-111111111111",
  revision: 1,
  sizeBytes: 1,
  sha256: "0".repeat(64),
  revisionBump: 0,
};

async function ask(cluster: ClusterUnderTest, annotations: Record<string, string | null>): Promise<void> {
  await scenario.client.patch(ownResources.etcdClusters, cluster, { merge: { metadata: { annotations } } });
}

/** The snapshot is never sent, so the restore gets no further than to the first member, which waits for it. */
async function isSetAside(cluster: ClusterUnderTest): Promise<void> {
  const old = (await cluster.pods()).map(({ metadata }) => metadata.name);
  const told = await cluster.becomes(
    "to set its members aside",
    ({ status }) => status?.restore?.state === "Restoring",
  );
  assert.ok(is(told, "Available", "False") && is(told, "QuorumLost", "False") && is(told, "Recovering"));
  assert.equal(told.status?.clusterID, undefined);
  assert.deepEqual(await cluster.answers(), []);
  await cluster.becomes("to make the first member", ({ status }) => status?.memberIntents?.length === 1);
  const [seed] = (await cluster.get()).status?.memberIntents ?? [];
  assert.ok(seed && !old.includes(seed.name));
}

describe("a restore that is cancelled before the restored cluster serves", { timeout: 300_000 }, () => {
  test.each([
    ["in their pods", "without-volumes", false, { [RESTORE_ANNOTATION]: null }],
    ["on volumes", "with-volumes", true, restoreAnnotation({ ...REQUEST, isCanceled: true })],
  ])("brings back the members that have their data %s, with all of it", async (_, name, claims, calledOff) => {
    const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
    await cluster.settled(3);
    const before = await cluster.memberIds();
    const witness = await cluster.witness();
    await witness.writesAgain(50);
    await ask(cluster, restoreAnnotation(REQUEST));
    await isSetAside(cluster);
    await ask(cluster, calledOff);
    await cluster.becomes("to have gone back", ({ status }) => status?.restore?.state === "RolledBack");
    await cluster.settled(3);
    assert.deepEqual(await cluster.memberIds(), before);
    await witness.writesAgain(50);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
