import assert from "node:assert/strict";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ClusterStandIn } from "@etcd-operator/testing/restore/cluster-stand-in.ts";
import { RestoreWorld } from "@etcd-operator/testing/restore/restore-world.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { RESTORE_ANNOTATION } from "../api/restore-request.ts";
import { ownResources } from "../objects/own-resources.ts";
import { metadataKey, metadataText } from "../transfer/snapshot/snapshot-metadata.ts";

let world: RestoreWorld;
beforeAll(async () => {
  world = await RestoreWorld.start();
});
afterAll(() => world?.stop());
beforeEach(() => world.fresh());

const OF_ANOTHER = {
  clusterID: "c2",
  etcdVersion: "3.5.16",
  revision: 1_000,
  sizeBytes: 1,
  sha256: "",
  takenAt: "2030-01-01T00:00:00Z",
  verifiedAt: "2030-01-01T00:00:01Z",
  backup: { namespace: "prod", name: "nightly", uid: "u" },
};

/** A cluster that has lost its majority and has made a restore for that. */
async function aLostCluster() {
  const { client, namespace } = world;
  const { metadata } = await world.createCluster();
  const status = { clusterID: await clusterId(), majorityLostSince: "2030-01-01T00:00:00Z" };
  await client.patchStatus(ownResources.etcdClusters, { namespace, name: "example" }, { merge: { status } });
  const { apiVersion, kind } = await world.cluster();
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
  await world.createRestore("example", { preferNewerSurvivor: true }, { ownerReferences });
}

async function clusterId(): Promise<string> {
  const client = connectEtcd({ address: new URL(world.etcd.clientUrl).host });
  try {
    return (await client.status()).clusterId.toString(16);
  } finally {
    client.close();
  }
}

const verdict = async () => (await world.restore()).status?.conditions?.find(({ type }) => type === "Verified");

describe("a restore that the cluster made itself, where the backup does not prove to be its own", () => {
  test("restores the survivor, whatever the backup has", async () => {
    await aLostCluster();
    world.store.objects.set(metadataKey("etcd"), Buffer.from(metadataText(OF_ANOTHER)));
    await using _ = await world.atWork();
    await new ClusterStandIn(world).request();
    const { snapshot, safetySnapshot } = (await world.restore()).status ?? {};
    assert.equal(snapshot?.path, safetySnapshot?.path);
    assert.deepEqual([(await verdict())?.status, (await verdict())?.reason], ["False", "OtherCluster"]);
  });

  test("fails where no member survives, asks nothing of the cluster, and says what to do", async () => {
    await aLostCluster();
    await world.client.delete(
      resources.pods,
      { namespace: world.namespace, name: "example-0" },
      { gracePeriodSeconds: 0 },
    );
    await using _ = await world.atWork();
    const { reason = "" } = await world.untilStatus("Failed", ({ phase }) => phase === "Failed");
    assert.match(
      reason,
      /'backups\/etcd' .*Create an EtcdRestore to use it anyway.*Nothing was changed; and no member survives/,
    );
    assert.equal((await world.cluster()).metadata.annotations?.[RESTORE_ANNOTATION], undefined);
  });
});
