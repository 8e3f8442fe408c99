import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { type CountingProxy, countingProxy } from "@etcd-operator/testing/scenario/operator/counting-proxy.ts";
import { afterAll, describe, test } from "vitest";

// An idle cluster is reconciled once a minute or so: three times in this.
const THREE_RESYNCS_MS = 220_000;

const scenario = clusterScenario({ operator: false });
let proxy: CountingProxy | undefined;

afterAll(() => proxy?.close());

/** The keys that the API server writes meanwhile, for any client. */
async function keysWritten(forMs: number): Promise<readonly string[]> {
  const client = connectEtcd({ address: scenario.local.config.storeEndpoint });
  try {
    const everything = { key: "/", rangeEnd: Uint8Array.of(0) };
    const { revision } = await client.range({ ...everything, countOnly: true });
    await pause(forMs);
    const { keyValues } = await client.range({ ...everything, keysOnly: true });
    return keyValues
      .filter(({ modRevision }) => modRevision > revision)
      .map(({ key }) => Buffer.from(key).toString())
      .sort();
  } finally {
    client.close();
  }
}

describe("when all is as the spec says", { timeout: 420_000 }, () => {
  test("three resyncs write nothing and ask nothing of the API server, but renew the Lease", async () => {
    proxy = await countingProxy(scenario.local);
    await scenario.startOperator({ kubeconfig: proxy.kubeconfig });
    const clusters = [await scenario.create("idle"), await scenario.create("idle-claims", { claims: true, size: 1 })];
    await clusters[0]?.settled(3);
    await clusters[1]?.settled(1);
    // What follows the last change, such as its Event, may still be on its way.
    await pause(5_000);
    proxy.take();
    const written = await keysWritten(THREE_RESYNCS_MS);
    assert.deepEqual(
      written.filter((key) => !/\/leases\/|\/minions\/|\/nodes\//.test(key)),
      [],
    );
    assert.ok(
      written.some((key) => key.includes("/leases/")),
      "no write was seen at all",
    );
    const asked = proxy.take();
    const isLease = (line: string) => /^(GET|PUT) \S*\/leases\//.test(line);
    const isWatch = (line: string) => /^GET \S*[?&]watch=true/.test(line);
    assert.deepEqual(
      asked.filter((line) => !isLease(line) && !isWatch(line)),
      [],
    );
    assert.ok(asked.some(isLease), "the operator did not go through the proxy");
  });
});
