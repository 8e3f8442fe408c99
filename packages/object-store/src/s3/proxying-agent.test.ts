import { createServer, get, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { type RecordingProxy, startRecordingProxy } from "@etcd-operator/testing/objectstore/recording-proxy.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ossStore } from "../oss/oss-store.ts";
import { ProxyingAgent } from "./proxying-agent.ts";
import { s3Store } from "./s3-store.ts";

const HOST = "s3.example.test";
const DAY_MS = 86_400_000;
const { cert, key } = selfSignedCertificate({
  name: HOST,
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + DAY_MS),
});
let server: Server;
let port: number;
let proxy: RecordingProxy;

beforeAll(async () => {
  server = createServer({ cert, key }, (_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());
afterEach(() => proxy.close());

async function page(agent: ProxyingAgent, host = HOST): Promise<string> {
  try {
    return await new Promise((resolve, reject) => {
      const request = get({ host, port, agent, servername: HOST }, (response) => resolve(text(response)));
      request.once("error", reject);
    });
  } finally {
    agent.destroy();
  }
}

describe("a server is reached", () => {
  test("by way of the proxy, which is told no more than where", async () => {
    proxy = await startRecordingProxy({ host: "127.0.0.1", port });
    expect(await page(new ProxyingAgent({ HTTPS_PROXY: proxy.url }, { ca: cert }))).toBe("hello");
    expect(proxy.asked).toEqual([`CONNECT ${HOST}:${port}`]);
  });

  test("by way of a proxy that wants to know who asks", async () => {
    proxy = await startRecordingProxy({ host: "127.0.0.1", port });
    const url = proxy.url.replace("//", "//me:p%40ss@");
    expect(await page(new ProxyingAgent({ HTTPS_PROXY: url }, { ca: cert }))).toBe("hello");
    expect(proxy.asked).toEqual([`CONNECT ${HOST}:${port} as me:p@ss`]);
  });

  test("not when the proxy leads to another server", async () => {
    proxy = await startRecordingProxy({ host: "127.0.0.1", port });
    await expect(page(new ProxyingAgent({ HTTPS_PROXY: proxy.url }))).rejects.toThrow(/self-signed certificate/);
  });

  test("not when the proxy refuses, which is no reason to give up", async () => {
    proxy = await startRecordingProxy();
    await expect(page(new ProxyingAgent({ HTTPS_PROXY: proxy.url }))).rejects.toMatchObject({
      code: "ERR_PROXY_TUNNEL",
      message: expect.stringMatching(/^Failed to establish tunnel to s3\.example\.test:\d+ via .*: HTTP\/1\.1 503 /),
    });
  });

  test("not when the proxy refuses, whose password is in no message", async () => {
    proxy = await startRecordingProxy();
    const url = proxy.url.replace("//", "//me:canary@");
    await expect(page(new ProxyingAgent({ HTTPS_PROXY: url }))).rejects.toMatchObject({
      code: "ERR_PROXY_TUNNEL",
      message: expect.not.stringContaining("canary"),
    });
  });

  test("without the proxy where NO_PROXY says so", async () => {
    proxy = await startRecordingProxy();
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.0/8" };
    expect(await page(new ProxyingAgent(env, { ca: cert }), "127.0.0.1")).toBe("hello");
    expect(proxy.asked).toEqual([]);
  });
});

describe("a bucket", () => {
  const tuning = { attempts: 1 };

  test("of S3 is reached by way of the proxy of the environment", async () => {
    proxy = await startRecordingProxy();
    const credentials = "[default]\naws_access_key_id = id\naws_secret_access_key = canary";
    const settings = { kind: "s3", bucket: "backups", profile: { credentials } } as const;
    const store = s3Store(settings, tuning, { HTTPS_PROXY: proxy.url });
    expect((await storeErrorOf(store.stat("key"))).code).toBe("unavailable");
    expect(proxy.asked).toEqual(["CONNECT backups.s3.us-east-1.amazonaws.com:443"]);
    await store.close();
  });

  test("of OSS is, too", async () => {
    proxy = await startRecordingProxy();
    const settings = { kind: "oss", bucket: "backups", accessKeyId: "id", accessKeySecret: "canary" } as const;
    const store = ossStore(settings, tuning, { HTTPS_PROXY: proxy.url });
    expect((await storeErrorOf(store.stat("key"))).code).toBe("unavailable");
    expect(proxy.asked).toEqual(["CONNECT backups.s3.oss-cn-hangzhou.aliyuncs.com:443"]);
    await store.close();
  });
});
