import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { EtcdBackup } from "../../../src/api/etcd-backup.ts";
import { resources } from "../../../src/kubernetes/resources.ts";
import { until } from "../../support/kube/until.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import { runsVersion } from "../../support/scenario/rolled.ts";
import { conditionOf } from "../../support/scenario/settled.ts";

const scenario = clusterScenario();

describe("a backup before members leave their minor", { timeout: 300_000 }, () => {
  test("is asked for, waited for, and said to be missing or failed", async () => {
    const { client } = scenario;
    const cluster = await scenario.create("careful", { version: "3.5.35" });
    await cluster.settled(3);
    const [uids, witness] = [await cluster.podUids(), await cluster.witness()];
    const upgrade = { backupName: "nightly" };
    await cluster.changeSpec({ version: "3.6.16", upgrade });
    const upgradingSays = (text: RegExp) =>
      cluster.becomes(`to say ${text}`, (now) => text.test(conditionOf(now, "Upgrading")?.message ?? ""), 60_000);
    await upgradingSays(/'nightly': there is no such EtcdBackup/);

    const { namespace } = cluster;
    const spec = {
      etcdCluster: { name: cluster.name },
      storageType: "S3",
      s3: { path: "backups/etcd", awsSecret: "aws" },
    };
    await client.create(resources.etcdBackups, { metadata: { name: "nightly", namespace }, spec } as EtcdBackup);
    const { generation } = (await cluster.get()).metadata;
    const name = `careful-before-3.6-${generation}`;
    const made = await until(() => client.get(resources.etcdBackups, { namespace, name }).catch(() => undefined), {
      what: "the backup to be asked for",
      timeoutMs: 60_000,
    });
    assert.equal(made.spec.s3?.path, `backups/etcd-before-3.6-${generation}`);

    // The other controller's part: what became of the backup.
    const say = (status: object) => client.patchStatus(resources.etcdBackups, made.metadata, { merge: { status } });
    await say({ succeeded: false, Reason: "no such bucket" });
    await upgradingSays(/did not succeed: no such bucket/);
    await witness.writesAgain(50);
    assert.deepEqual(await cluster.podUids(), uids);
    await say({ succeeded: true, Reason: "" });
    await runsVersion(cluster, { version: "3.6.16", size: 3 });
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
