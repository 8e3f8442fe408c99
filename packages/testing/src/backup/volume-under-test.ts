import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectStore } from "@etcd-operator/object-store";
import { serveDirectory } from "@etcd-operator/object-store";
import { volumeStore } from "@etcd-operator/object-store/volume/volume-store.ts";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";

/** For tests: a volume behind its worker, without the pod around it. */
export interface VolumeUnderTest {
  readonly directory: string;
  open(): Promise<ObjectStore>;
  /** Files of unfinished uploads. */
  leftovers(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startVolume(): Promise<VolumeUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "volume-"));
  const [notBefore, notAfter] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
  const { cert, key } = selfSignedCertificate({ name: "worker", notBefore, notAfter });
  const token = randomBytes(32).toString("hex");
  const worker = await serveDirectory({ directory, cert, key, token, host: "127.0.0.1", port: 0, idleMs: 600_000 });
  const address = `127.0.0.1:${worker.port}`;
  return {
    directory,
    open: async () => volumeStore({ kind: "volume", claimName: "backups", address, certificate: cert, token }, {}),
    leftovers: () => readdir(join(directory, ".etcd-store-worker")).catch(() => []),
    async stop() {
      await worker.close();
      await rm(directory, { recursive: true });
    },
  };
}
