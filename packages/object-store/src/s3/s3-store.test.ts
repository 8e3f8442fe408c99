import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import {
  bytesOf,
  content,
  digest,
  digestOfContent,
  storeErrorOf,
  text,
} from "@etcd-operator/testing/objectstore/contract/content.ts";
import { type FaultProxy, startFaultProxy } from "@etcd-operator/testing/objectstore/fault-proxy.ts";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { type S3Server, startS3Server } from "@etcd-operator/testing/objectstore/s3-server.ts";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ObjectStore } from "../object-store.ts";
import { S3ObjectStore } from "./s3-object-store.ts";
import { s3Store } from "./s3-store.ts";

const MIB = 2 ** 20;
const TUNING = { idleTimeoutMs: 5_000, attempts: 3, firstRetryMs: 10, partBytes: 5 * MIB };
const SIZE = 11 * MIB;

const obstacle = await obstacleTo(versitygw);

describe.skipIf(obstacle !== undefined)(`a store of S3${obstacle ? ` (skipped: ${obstacle})` : ""}`, () => {
  let server: S3Server;
  let proxy: FaultProxy;
  let store: ObjectStore | undefined;
  beforeAll(async () => {
    server = await startS3Server({ bucket: "backups" });
    proxy = await startFaultProxy({ upstream: server.url });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    proxy.clear();
    await store?.close();
  });
  afterAll(async () => {
    await proxy?.close();
    await server?.stop();
  });

  const open = ({ sendsChecksums = false } = {}) => {
    const { region, accessKeyId, secretAccessKey } = server;
    const place = { kind: "s3", bucket: "backups", endpoint: new URL(proxy.url), forcePathStyle: true } as const;
    const keys = { accessKeyId, secretAccessKey };
    store = new S3ObjectStore({ ...place, region, sendsChecksums, keys, role: undefined }, TUNING);
    return store;
  };

  test("without a Secret uses the identity of the environment", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", server.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", server.secretAccessKey);
    vi.stubEnv("AWS_REGION", server.region);
    const place = { kind: "s3", bucket: "backups", endpoint: new URL(proxy.url), forcePathStyle: true } as const;
    // By way of s3Store such a server is asked with keys only.
    const asWhoever = { keys: undefined, role: undefined, region: server.region, sendsChecksums: false };
    store = new S3ObjectStore({ ...place, ...asWhoever }, TUNING);
    await store.put("ambient", text("any client"));
    expect((await bytesOf(store.get("ambient"))).toString()).toBe("any client");
  });

  test("is at AWS when no endpoint is named, and says where it is otherwise", () => {
    const profile = { credentials: "[default]\naws_access_key_id = a\naws_secret_access_key = b\n" };
    store = s3Store({ kind: "s3", bucket: "backups", profile }, TUNING);
    expect(store.description).toBe("S3 bucket 'backups'");
    expect(open().description).toBe(`S3 bucket 'backups' at 127.0.0.1:${proxy.port}`);
  });

  test.each([true, undefined])("is asked at an address of IPv6, with forcePathStyle %s", async (forcePathStyle) => {
    const { port } = new URL(server.url);
    const door = createServer((socket) => {
      const inner = connect(Number(port), "127.0.0.1");
      socket.pipe(inner).pipe(socket);
      for (const end of [socket, inner]) end.on("error", () => socket.destroy());
    }).listen(0, "::1");
    await once(door, "listening");
    onTestFinished(() => void door.close());
    const endpoint = `http://[::1]:${(door.address() as AddressInfo).port}`;
    const credentials = `[default]\naws_access_key_id = ${server.accessKeyId}\naws_secret_access_key = ${server.secretAccessKey}\n`;
    const profile = { credentials, config: `[default]\nregion = ${server.region}\n` };
    store = s3Store({ kind: "s3", bucket: "backups", endpoint, forcePathStyle, profile }, TUNING);
    await store.put("six", text("over IPv6"));
    expect((await bytesOf(store.get("six"))).toString()).toBe("over IPv6");
  });

  test.each([100, SIZE])("sends and checks checksums where they are wanted: %i bytes", async (size) => {
    const checked = open({ sendsChecksums: true });
    await checked.put("checked", content(size));
    expect(await digest(checked.get("checked"))).toBe(await digestOfContent(size));
  });

  test("sends all parts of an object over a few connections, and not over one each", async () => {
    let connections = 0;
    const count = () => {
      connections += 1;
    };
    const { region, accessKeyId, secretAccessKey } = server;
    const credentials = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    const profile = { credentials, config: `[default]\nregion = ${region}\n` };
    // Not over the proxy, which has connections of its own.
    store = s3Store({ kind: "s3", bucket: "backups", endpoint: server.url, forcePathStyle: true, profile }, TUNING);
    subscribe("net.client.socket", count);
    try {
      await store.put("parts", content(8 * SIZE));
    } finally {
      unsubscribe("net.client.socket", count);
    }
    // Of 18 parts three are on their way at a time, and the last question is asked with more patience, by a client of
    // its own.
    expect(connections).toBeLessThan(8);
  });

  test("is not misled when the answer to the end of an upload is lost", async () => {
    const only = /^POST .*uploadId=/;
    proxy.cutResponses({ afterBytes: 0, times: 1, only });
    expect(await open().put("lost-answer", content(SIZE))).toMatchObject({ sizeBytes: SIZE });
    expect(proxy.requests.filter((request) => only.test(request))).toHaveLength(2);
    expect(await server.unfinishedUploads()).toEqual([]);
  });

  test("gives the upload up when its end is refused", async () => {
    const body = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>";
    proxy.answer({ status: 403, body, times: 1, only: /^POST .*uploadId=/ });
    expect((await storeErrorOf(open().put("refused", content(SIZE)))).code).toBe("access-denied");
    expect(await server.unfinishedUploads()).toEqual([]);
  });

  test("does not take a server's word when the object has another size than was sent", async () => {
    proxy.answer({ status: 200, headers: { "content-length": "7" }, times: 1, only: /^HEAD / });
    expect((await storeErrorOf(open().put("short", text("eight by")))).code).toBe("corrupt");
  });

  test("does not take the whole object for a part of it", async () => {
    const reading = open();
    await reading.put("whole", text("0123456789"));
    proxy.answer({ status: 200, body: "0123456789", headers: { etag: '"x"' }, times: 1, only: /^GET .*whole/ });
    expect((await storeErrorOf(bytesOf(reading.get("whole", { offset: 5 })))).code).toBe("corrupt");
  });

  test("reports what refused an upload even when nothing of it can be taken away", async () => {
    proxy.answer({ status: 503, times: Number.POSITIVE_INFINITY, only: /uploadId=/ });
    expect((await storeErrorOf(open().put("stuck", content(SIZE)))).code).toBe("unavailable");
  });
});
