import { objectStoreContract } from "@etcd-operator/testing/objectstore/contract/object-store-contract.ts";
import type { StoreUnderTest, StoreVariation } from "@etcd-operator/testing/objectstore/contract/store-harness.ts";
import { startFaultProxy } from "@etcd-operator/testing/objectstore/fault-proxy.ts";
import { startGcsFake } from "@etcd-operator/testing/objectstore/gcs-fake.ts";
import type { GcsSettings } from "../store-settings.ts";
import { gcsStore } from "./gcs-store.ts";

const MIB = 2 ** 20;
const CANARY = "canary-of-the-access-token";

objectStoreContract({
  name: "Google Cloud Storage on a fake",
  severalPartsBytes: 3.5 * MIB,
  resumesPuts: true,
  keptOfBrokenBytes: 262_144,
  hasBuckets: true,
  fullAnswer: {
    status: 403,
    body: JSON.stringify({ error: { code: 403, message: "no room", errors: [{ reason: "quotaExceeded" }] } }),
  },
  start,
});

async function start(): Promise<StoreUnderTest> {
  const { url, bucket, oauth, uploads, stop } = await startGcsFake();
  const proxy = await startFaultProxy({ upstream: url });
  const good: GcsSettings = { kind: "gcs", bucket, endpoint: proxy.url, accessToken: oauth.issue("the contract") };
  const variations: Readonly<Record<StoreVariation, GcsSettings>> = {
    good,
    "wrong-credentials": { ...good, accessToken: CANARY },
    "missing-bucket": { ...good, bucket: "nowhere" },
    unreachable: { ...good, endpoint: "http://127.0.0.1:9" },
  };
  return {
    open: async (variation, tuning) => gcsStore(variations[variation], { partBytes: MIB, ...tuning }),
    faults: proxy,
    canary: CANARY,
    leftovers: async () => uploads.open,
    async stop() {
      await proxy.close();
      await stop();
    },
  };
}
