import assert from "node:assert/strict";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { type FieldEffect, fieldCases, nothing } from "@etcd-operator/testing/scenario/cluster/field-cases.ts";
import { podsCarry } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { specFields } from "@etcd-operator/testing/scenario/cluster/spec-fields.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario();

/** Fields with a test of their own: below, in tls-secrets.long.test.ts, and in all that resizes. */
const ELSEWHERE = [
  "TLS.static.member.peerSecret",
  "TLS.static.member.serverSecret",
  "TLS.static.operatorSecret",
  "pod.ClusterDomain",
  "pod.antiAffinity",
  "pod.persistentVolumeClaimSpec",
  "recovery.onQuorumLoss",
  "size",
];

let cluster: ClusterUnderTest;
let witness: Witness;

beforeAll(async () => {
  await scenario.local.kubectl("create", "serviceaccount", "etcd");
  cluster = await scenario.create("fields", {
    claims: true,
    whenDeleted: "Delete",
    version: "3.5.30",
    bootstrap: "Parallel",
  });
  await cluster.settled(3);
});
afterAll(() => cluster?.stopWitnesses());

/** The patch that sets one field. */
function setting(path: string, value: unknown): object {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

async function edit(
  path: string,
  value: unknown,
  wanted: { effect: FieldEffect; is: (pod: Pod) => unknown },
): Promise<void> {
  const [ids, uids] = [await cluster.memberIds(), await cluster.podUids()];
  await cluster.changeSpec(setting(path, value));
  await cluster.becomes(
    "to have seen it",
    ({ status, metadata }) => status?.observedGeneration === metadata.generation,
  );
  if (path !== "paused")
    await podsCarry(cluster, { what: `${path} = ${JSON.stringify(value)}`, size: 3, is: wanted.is });
  const now = await cluster.podUids();
  if (wanted.effect === "new pods") assert.ok(!now.some((uid) => uids.includes(uid)), "a pod stayed as it was");
  else assert.deepEqual(now, uids);
  assert.deepEqual(await cluster.memberIds(), ids);
}

describe("every field of the spec reaches every member, and can be reverted", { timeout: 240_000 }, () => {
  test("there is a case for each, and for no other", () => {
    assert.deepEqual([...Object.keys(fieldCases), ...ELSEWHERE].sort(), specFields());
  });

  test.each(Object.keys(fieldCases))("%s", async (path) => {
    const { effect, value, before = null, isIn = () => true } = fieldCases[path] ?? nothing(null);
    witness = await cluster.witness({ name: path });
    await witness.writesAgain();
    await edit(path, value, { effect, is: isIn });
    await edit(path, before, { effect, is: (pod) => effect === "nothing" || !isIn(pod) });
    await cluster.verify(witness);
  });

  test("pod.ClusterDomain: is refused, because members know each other by it", async () => {
    await assert.rejects(cluster.changeSpec({ pod: { ClusterDomain: "cluster.local" } }), /know each other by/);
  });

  test("recovery.onQuorumLoss: changes no member", async () => {
    await cluster.changeSpec({ recovery: { backupName: "nightly" } });
    const is = () => true;
    await edit("recovery.onQuorumLoss", "RestoreLatestBackup", { effect: "nothing", is });
    await edit("recovery.onQuorumLoss", "Manual", { effect: "nothing", is });
    await cluster.changeSpec({ recovery: { backupName: null } });
  });

  test("pod.antiAffinity: where there is one node only, one member waits for another until that is reverted", async () => {
    witness = await cluster.witness({ name: "antiAffinity" });
    await cluster.changeSpec({ pod: { antiAffinity: true } });
    const carrying = async () =>
      (await cluster.pods()).filter(({ spec }) => spec?.affinity?.podAntiAffinity !== undefined).length;
    await until(async () => (await carrying()) === 1, { what: "the first pod with it", timeoutMs: 60_000 });
    await cluster.becomes("to say why", ({ status }) => /node/i.test(JSON.stringify(status?.conditions)), 60_000);
    assert.equal(await carrying(), 1);
    await witness.writesAgain(100);
    await cluster.changeSpec({ pod: { antiAffinity: null } });
    await podsCarry(cluster, { what: "no antiAffinity", size: 3, is: ({ spec }) => !spec?.affinity });
    await cluster.verify(witness);
  });

  test("pod.persistentVolumeClaimSpec: goes and comes with other members; and grows", async () => {
    witness = await cluster.witness({ name: "volumes" });
    const claim = (storage: string) => ({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } });
    const usesClaim = ({ spec }: Pod) => spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim);
    await cluster.changeSpec({ pod: { persistentVolumeClaimSpec: null } });
    await podsCarry(cluster, { what: "no volumes", size: 3, is: (pod) => !usesClaim(pod) });
    await until(async () => (await cluster.claims()).length === 0, { what: "the claims to go" });
    await cluster.changeSpec({ pod: { persistentVolumeClaimSpec: claim("1Gi") } });
    await podsCarry(cluster, { what: "volumes", size: 3, is: usesClaim });
    const uids = await cluster.podUids();
    await cluster.changeSpec({ pod: { persistentVolumeClaimSpec: claim("2Gi") } });
    const haveGrown = async () => {
      const claims = await cluster.claims();
      return claims.length === 3 && claims.every(({ spec }) => spec?.resources?.requests?.storage === "2Gi");
    };
    await until(haveGrown, { what: "claims that ask for more", timeoutMs: 60_000 });
    await cluster.settled(3);
    assert.deepEqual(await cluster.podUids(), uids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
