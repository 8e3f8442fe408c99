import assert from "node:assert/strict";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { isRecreated, nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();
let place: FaultyPlace;
let backups: BackupsUnderTest;

beforeAll(async () => {
  place = await faultyS3Place();
  backups = await BackupsUnderTest.at(scenario, place);
});
afterEach(() => place?.faults.clear());
afterAll(() => place?.stop());

const SETUPS = [
  { data: "on claims", claims: true },
  { data: "in the pods", claims: false },
];
const FORBIDDEN = {
  status: 403,
  headers: { "content-type": "application/xml" },
  body: "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
};
/** What etcd does not start with. */
const BROKEN = { pod: { etcdEnv: [{ name: "ETCD_MAX_TXN_OPS", value: "many" }] } };
const MENDED = { pod: { etcdEnv: null } };

interface Subject {
  readonly cluster: ClusterUnderTest;
  readonly witness: Witness;
  readonly clusterID: string | undefined;
  readonly memberIds: Record<string, bigint>;
}

/** A cluster with a backup, which is written to from then on. */
async function aSubject(name: string, claims: boolean): Promise<Subject> {
  const cluster = await scenario.create(name, { claims, whenDeleted: "Delete" });
  const { status } = await cluster.settled(3);
  await backups.taken(name, name);
  const witness = await cluster.witness();
  await witness.writesAgain(50);
  return { cluster, witness, clusterID: status?.clusterID, memberIds: await cluster.memberIds() };
}

/** The same members, with all that was ever acknowledged, and nothing that reminds of the restore. */
async function isBack({ cluster, witness, clusterID, memberIds }: Subject, claims: boolean): Promise<void> {
  const { status } = await cluster.settled(3);
  assert.deepEqual([status?.restore?.state, status?.clusterID], ["RolledBack", clusterID]);
  assert.deepEqual(await cluster.memberIds(), memberIds);
  if (claims) await cluster.hasClaimsOfMembersOnly();
  else assert.deepEqual(await cluster.claims(), []);
  await witness.writesAgain(50);
  await cluster.verify(witness);
  await nothingIsLeft(scenario, place);
}

describe.each(SETUPS)("members with their data $data come back", { timeout: 400_000 }, ({ claims }) => {
  test("when the backup cannot be had any more, and an edit tries again", async () => {
    const name = claims ? "denied-claims" : "denied";
    const subject = await aSubject(name, claims);
    const { cluster } = subject;
    await backups.restore(name, name);
    await backups.restoreBecomes(name, "to have asked", ({ phase }) => phase === "Restoring");
    place.faults.answer({ ...FORBIDDEN, times: Number.POSITIVE_INFINITY, only: /^GET / });
    const reason = await backups.restoreFails(name);
    process.stdout.write(`  ${reason}\n`);
    assert.match(reason, /could not be sent to pod '[^']+'.*backups\/denied.*edit the spec.*Rolled back/is);
    place.faults.clear();
    await isBack(subject, claims);

    await scenario.client.patch(
      ownResources.etcdRestores,
      { namespace: "default", name },
      { merge: { spec: { revisionBump: 1_000 } } },
    );
    await backups.restoreSucceeds(name);
    await isRecreated(cluster);
    const { status } = await cluster.settled(3);
    assert.notEqual(status?.clusterID, subject.clusterID);
    await nothingIsLeft(scenario, place);
    await cluster.delete();
    await cluster.isGone();
  });

  test("when the first member does not start, because of an edit meanwhile", async () => {
    const name = claims ? "broken-claims" : "broken";
    const subject = await aSubject(name, claims);
    const { cluster } = subject;
    // One that takes its time to stop, so that the edit comes before the first member is made.
    const [slow] = (await cluster.roles()).followers;
    assert.ok(slow);
    await signalEtcd(scenario, slow, "SIGSTOP");
    await backups.restore(name, name);
    await cluster.becomes("to fence", ({ status }) => status?.restore?.state === "Fencing");
    await cluster.changeSpec(BROKEN);
    await signalEtcd(scenario, slow, "SIGCONT");
    const reason = await backups.restoreFails(name);
    process.stdout.write(`  ${reason}\n`);
    assert.match(reason, /Container 'etcd' of pod '[^']+'.*failed 3 times.*edit the spec.*is back/is);
    await cluster.changeSpec(MENDED);
    await isBack(subject, claims);
    await cluster.delete();
    await cluster.isGone();
  });
});
