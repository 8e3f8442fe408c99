import { freePorts } from "@etcd-operator/local-kubernetes";
import type { ObjectStore, StoreTuning } from "@etcd-operator/object-store";
import type { StoreHarness, StoreVariation } from "./contract/store-harness.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { obstacleTo, versitygw } from "./go-program.ts";
import { startS3Server } from "./s3-server.ts";

const MIB = 2 ** 20;

/** Where a store of the contract is to be opened, and as whom. */
export interface S3Place {
  readonly bucket: string;
  /** host:port of the proxy. */
  readonly address: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3HarnessOptions {
  readonly name: string;
  readonly open: (place: S3Place, tuning: StoreTuning) => ObjectStore | Promise<ObjectStore>;
  /** With it, buckets are part of host names that end so. */
  readonly virtualDomain?: string;
}

/** For kinds of stores that speak S3. */
export async function s3Harness({ name, open, virtualDomain }: S3HarnessOptions): Promise<StoreHarness> {
  return {
    name,
    skip: await obstacleTo(versitygw),
    severalPartsBytes: 11 * MIB + 1,
    resumesPuts: true,
    hasBuckets: true,
    fullAnswer: { status: 507, headers: { "content-type": "application/xml" }, body: errorXml("XMinioStorageFull") },
    async start() {
      const server = await startS3Server({ bucket: "backups", ...(virtualDomain && { virtualDomain }) });
      const proxy = await startFaultProxy({ upstream: server.url });
      const [closedPort] = await freePorts(1);
      const { region, accessKeyId, secretAccessKey } = server;
      const good = { bucket: "backups", address: `127.0.0.1:${proxy.port}`, region, accessKeyId, secretAccessKey };
      const places: Readonly<Record<StoreVariation, S3Place>> = {
        good,
        "wrong-credentials": { ...good, secretAccessKey: `${secretAccessKey}-wrong` },
        "missing-bucket": { ...good, bucket: "elsewhere" },
        unreachable: { ...good, address: `127.0.0.1:${closedPort}` },
      };
      return {
        open: async (variation, tuning) => open(places[variation], { partBytes: 5 * MIB, ...tuning }),
        faults: proxy,
        canary: secretAccessKey,
        leftovers: () => server.unfinishedUploads(),
        async stop() {
          await proxy.close();
          await server.stop();
        },
      };
    },
  };
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>as scripted</Message></Error>`;
}
