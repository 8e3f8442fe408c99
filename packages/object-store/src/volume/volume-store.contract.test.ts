import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { objectStoreContract } from "@etcd-operator/testing/objectstore/contract/object-store-contract.ts";
import type { StoreUnderTest } from "@etcd-operator/testing/objectstore/contract/store-harness.ts";
import { startFaultProxy } from "@etcd-operator/testing/objectstore/fault-proxy.ts";
import { serveDirectory } from "./serve-directory.ts";
import { volumeStore } from "./volume-store.ts";

objectStoreContract({
  name: "volume, by way of its worker",
  severalPartsBytes: 3_500_000,
  resumesPuts: true,
  hasBuckets: false,
  fullAnswer: { status: 507, body: JSON.stringify({ code: "full", message: "no room is left" }) },
  start,
});

async function start(): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "volume-"));
  const { cert, key } = selfSignedCertificate({
    name: "worker",
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
  const token = randomBytes(32).toString("hex");
  const worker = await serveDirectory({ directory, cert, key, token, host: "127.0.0.1", port: 0, idleMs: 600_000 });
  const proxy = await startFaultProxy({ upstream: `https://127.0.0.1:${worker.port}`, tls: { cert, key } });
  return {
    async open(variation, tuning) {
      const address = `127.0.0.1:${variation === "unreachable" ? 1 : proxy.port}`;
      const settings = { kind: "volume", claimName: "backups", address, certificate: cert } as const;
      const shown = variation === "wrong-credentials" ? `${token.slice(0, -1)}!` : token;
      return volumeStore({ ...settings, token: shown }, { partBytes: 1 << 20, ...tuning });
    },
    faults: proxy,
    canary: token.slice(0, 20),
    leftovers: () => readdir(join(directory, ".etcd-store-worker")).catch(() => []),
    async stop() {
      await proxy.close();
      await worker.close();
      await rm(directory, { recursive: true });
    },
  };
}
