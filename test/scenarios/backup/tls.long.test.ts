import assert from "node:assert/strict";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import { Certificates } from "@etcd-operator/testing/scenario/cluster/certificates.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
let backups: BackupsUnderTest;
beforeAll(async () => {
  backups = await BackupsUnderTest.at(scenario, await volumePlace());
});

const edit = (name: string, spec: object) =>
  scenario.client.patch(ownResources.etcdBackups, { namespace: "default", name }, { merge: { spec } });

describe("a cluster with TLS", { timeout: 300_000 }, () => {
  test("is backed up with the certificate of its operator, or with that of the EtcdBackup", async () => {
    const certificates = await Certificates.create(scenario.local, "secure");
    const cluster = await scenario.create("secure", { isTls: true });
    await certificates.give(cluster);
    await cluster.settled(3);
    const revision = async () => Number((await cluster.answers())[0]?.status.revision);
    const before = await revision();
    assert.ok(((await backups.taken("own", "secure")).etcdRevision ?? 0) >= before);

    await backups.create("given", "secure", { key: "given" });
    await backups.succeeds("given");
    await edit("given", { clientTLSSecret: "nobodys" });
    const { Reason } = await backups.becomes("given", "to miss its Secret", ({ succeeded }) => succeeded === false);
    assert.equal(Reason, "Secret 'default/nobodys' of spec.clientTLSSecret does not exist: create it");
    await edit("given", { clientTLSSecret: "etcd-client-tls" });
    const { observedGeneration } = await backups.succeeds("given");
    assert.equal(observedGeneration, 3);
  });
});
