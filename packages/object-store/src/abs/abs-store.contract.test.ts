import { startAzurite } from "@etcd-operator/testing/objectstore/azurite.ts";
import { objectStoreContract } from "@etcd-operator/testing/objectstore/contract/object-store-contract.ts";
import type { StoreUnderTest, StoreVariation } from "@etcd-operator/testing/objectstore/contract/store-harness.ts";
import { startFaultProxy } from "@etcd-operator/testing/objectstore/fault-proxy.ts";
import type { AbsSettings } from "../store-settings.ts";
import { absStore } from "./abs-store.ts";

const MIB = 2 ** 20;

objectStoreContract({
  name: "Azure Blob Storage on Azurite",
  severalPartsBytes: 3.5 * MIB,
  resumesPuts: true,
  hasBuckets: true,
  // Azure itself has no limit that matters; servers that only speak its protocol do.
  fullAnswer: { status: 507, headers: { "x-ms-error-code": "InsufficientStorage" } },
  start,
});

async function start(): Promise<StoreUnderTest> {
  const { url, account, accountKey, container, stop } = await startAzurite();
  const proxy = await startFaultProxy({ upstream: url });
  const good: AbsSettings = { kind: "abs", cloud: proxy.url, account, accountKey, container };
  const variations: Readonly<Record<StoreVariation, AbsSettings>> = {
    good,
    "wrong-credentials": { ...good, accountKey: Buffer.from(`${accountKey} of another`).toString("base64") },
    "missing-bucket": { ...good, container: "nowhere" },
    unreachable: { ...good, cloud: "http://127.0.0.1:9" },
  };
  return {
    open: async (variation, tuning) => absStore(variations[variation], { partBytes: MIB, ...tuning }),
    faults: proxy,
    canary: accountKey,
    // Blocks that were not committed are no objects, and cannot be removed.
    leftovers: async () => [],
    async stop() {
      await proxy.close();
      await stop();
    },
  };
}
