import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { Certificates } from "@etcd-operator/testing/scenario/cluster/certificates.ts";
import { podsCarry } from "@etcd-operator/testing/scenario/cluster/rolled.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const SECRETS = { peerSecret: "etcd-peer-tls", serverSecret: "etcd-server-tls", operatorSecret: "etcd-client-tls" };

/** The same Secret under another name. */
async function copied(name: string): Promise<string> {
  const { client } = scenario;
  const { data = {} } = await client.get(resources.secrets, { namespace: "default", name });
  await client.create(resources.secrets, { metadata: { name: `${name}-copy`, namespace: "default" }, data });
  return `${name}-copy`;
}

const mounts = (secret: string) => (pod: Pod) =>
  pod.spec?.volumes?.some((volume) => volume.secret?.secretName === secret);

describe("the Secrets that a cluster with TLS names", { timeout: 400_000 }, () => {
  test("can be others, and the previous ones again: members that mount them are rolled, the operator's own restarts no member", async () => {
    const certificates = await Certificates.create(scenario.local, "renamed");
    const cluster = await scenario.create("renamed", { isTls: true, claims: true, whenDeleted: "Delete" });
    await certificates.give(cluster);
    await cluster.settled(3);
    const witness = await cluster.witness();
    await witness.writesAgain();
    for (const field of ["peerSecret", "serverSecret"] as const) {
      for (const secret of [await copied(SECRETS[field]), SECRETS[field]]) {
        await cluster.changeSpec({ TLS: { static: { member: { [field]: secret } } } });
        await podsCarry(cluster, { what: secret, size: 3, is: mounts(secret) });
      }
    }
    const uids = await cluster.podUids();
    for (const operatorSecret of [await copied(SECRETS.operatorSecret), SECRETS.operatorSecret]) {
      await cluster.changeSpec({ TLS: { static: { operatorSecret } } });
      const isSeen = ({ status, metadata }: Awaited<ReturnType<typeof cluster.get>>) =>
        status?.observedGeneration === metadata.generation;
      await cluster.becomes(`to have seen ${operatorSecret}`, isSeen);
      await cluster.settled(3);
    }
    assert.deepEqual(await cluster.podUids(), uids);
    await cluster.verify(witness);
    await cluster.delete();
    await cluster.isGone();
  });
});
