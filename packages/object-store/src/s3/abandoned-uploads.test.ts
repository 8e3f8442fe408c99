import { CreateMultipartUploadCommand, S3Client } from "@aws-sdk/client-s3";
import { content, storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { type FaultProxy, startFaultProxy } from "@etcd-operator/testing/objectstore/fault-proxy.ts";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { type S3Server, startS3Server } from "@etcd-operator/testing/objectstore/s3-server.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ObjectStore } from "../object-store.ts";
import { S3ObjectStore } from "./s3-object-store.ts";

const MIB = 2 ** 20;
const SIZE = 11 * MIB;
const ATTEMPTS = 3;
const TUNING = { idleTimeoutMs: 5_000, attempts: ATTEMPTS, firstRetryMs: 10, partBytes: 5 * MIB };
const BEGIN = /^POST .*uploads/;

const obstacle = await obstacleTo(versitygw);

describe.skipIf(obstacle !== undefined)(`an abandoned upload${obstacle ? ` (skipped: ${obstacle})` : ""}`, () => {
  let server: S3Server;
  let proxy: FaultProxy;
  let client: S3Client;
  let store: ObjectStore;
  beforeAll(async () => {
    server = await startS3Server({ bucket: "backups" });
    proxy = await startFaultProxy({ upstream: server.url });
    const { url, region, accessKeyId, secretAccessKey } = server;
    const keys = { accessKeyId, secretAccessKey };
    client = new S3Client({ endpoint: url, region, forcePathStyle: true, credentials: keys });
    const place = { kind: "s3", bucket: "backups", endpoint: new URL(proxy.url), forcePathStyle: true } as const;
    store = new S3ObjectStore({ ...place, region, sendsChecksums: false, keys, role: undefined }, TUNING);
  });
  afterEach(() => proxy.clear());
  afterAll(async () => {
    client?.destroy();
    await store?.close();
    await proxy?.close();
    await server?.stop();
  });

  /** As a process leaves it that is killed; returns its id. */
  const abandon = async (Key: string) => {
    const { UploadId = "" } = await client.send(new CreateMultipartUploadCommand({ Bucket: "backups", Key }));
    return UploadId;
  };

  test("because the answer to its beginning was lost is given up by the attempt that succeeds", async () => {
    proxy.cutResponses({ afterBytes: 0, times: ATTEMPTS - 1, only: BEGIN });
    expect(await store.put("lost", content(SIZE))).toMatchObject({ sizeBytes: SIZE });
    expect(await server.unfinishedUploads()).toEqual([]);
  });

  test("is given up when no attempt succeeds", async () => {
    proxy.cutResponses({ afterBytes: 0, times: ATTEMPTS, only: BEGIN });
    expect((await storeErrorOf(store.put("never", content(SIZE)))).code).toBe("unavailable");
    expect(await server.unfinishedUploads()).toEqual([]);
  });

  test("is given up when it was a killed process that left it under the same key, and under no other", async () => {
    await abandon("killed");
    const others = [await abandon("killed_v1"), await abandon("kill")];
    await store.put("killed", content(SIZE));
    const left = (await server.unfinishedUploads()).filter((path) => path.split("/").length === 4);
    expect(left.map((path) => path.split("/").at(-1)).sort()).toEqual(others.sort());
  });

  test("stays where we may not look for it, and does no harm", async () => {
    const body = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>";
    proxy.answer({ status: 403, body, times: Number.POSITIVE_INFINITY, only: /^GET .*uploads/ });
    expect(await store.put("blind", content(SIZE))).toMatchObject({ sizeBytes: SIZE });
  });
});
