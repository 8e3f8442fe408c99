import {
  all,
  bytesOf,
  content,
  digest,
  digestOfContent,
  storeErrorOf,
  text,
} from "@etcd-operator/testing/objectstore/contract/content.ts";
import { type FaultProxy, startFaultProxy } from "@etcd-operator/testing/objectstore/fault-proxy.ts";
import { type GcsFake, startGcsFake } from "@etcd-operator/testing/objectstore/gcs-fake.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ObjectStore } from "../object-store.ts";
import { gcsStore } from "./gcs-store.ts";

const MIB = 2 ** 20;
const TUNING = { idleTimeoutMs: 5_000, attempts: 3, firstRetryMs: 10, partBytes: MIB };
const TO_UPLOAD = /^PUT .*upload_id=/;

describe("a store of Google's", () => {
  let fake: GcsFake;
  let proxy: FaultProxy;
  let store: ObjectStore;
  beforeAll(async () => {
    fake = await startGcsFake();
    proxy = await startFaultProxy({ upstream: fake.url });
    const credentialsJson = JSON.stringify(fake.oauth.serviceAccount());
    store = gcsStore({ kind: "gcs", bucket: fake.bucket, endpoint: proxy.url, credentialsJson }, TUNING);
  });
  afterEach(() => proxy.clear());
  afterAll(async () => {
    await store?.close();
    await proxy?.close();
    await fake?.stop();
  });

  const chunksSent = () => proxy.requests.filter((asked) => TO_UPLOAD.test(asked)).length;

  test.each([2 * MIB, 2 * MIB + 1])("sends %i bytes in parts, and no request more", async (size) => {
    await store.put("parts", content(size));
    expect(chunksSent()).toBe(Math.ceil(size / MIB));
    expect(await digest(store.get("parts"))).toBe(await digestOfContent(size));
  });

  test("sends again what Google did not keep of a part", async () => {
    fake.uploads.keepAtMost = 300_000;
    await store.put("kept in part", content(2.5 * MIB));
    expect(await digest(store.get("kept in part"))).toBe(await digestOfContent(2.5 * MIB));
    expect(chunksSent()).toBe(4);
  });

  test("does not send a part again whose answer was lost", async () => {
    proxy.cutResponses({ afterBytes: 0, times: 1, only: TO_UPLOAD });
    await store.put("lost answer", content(2.5 * MIB));
    expect(await digest(store.get("lost answer"))).toBe(await digestOfContent(2.5 * MIB));
  });

  test("finds the object when the last answer was lost", async () => {
    proxy.cutResponses({ afterBytes: 0, times: 1, only: TO_UPLOAD });
    expect(await store.put("lost last answer", text("all of it"))).toMatchObject({ sizeBytes: 9 });
    expect(fake.uploads.open).toEqual([]);
  });

  test("succeeds when it is called off too late", async () => {
    const controller = new AbortController();
    // Google has made the object by then, but its answer is lost.
    proxy.stallResponses({ afterBytes: 0, times: 1, only: TO_UPLOAD });
    const put = store.put("too late", text("there"), { signal: controller.signal });
    while ((await storeIsThere("too late")) === false) await new Promise(setImmediate);
    controller.abort();
    expect(await put).toMatchObject({ key: "too late", sizeBytes: 5 });
  });

  const storeIsThere = async (key: string) => (await store.stat(key)) !== undefined;

  test("starts again only when told to after Google has forgotten the upload", async () => {
    async function* source() {
      yield* content(1.5 * MIB);
      while (chunksSent() === 0) await new Promise(setImmediate);
      fake.uploads.forget();
      yield* content(1.5 * MIB);
    }
    const error = await storeErrorOf(store.put("forgotten", source()));
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("the upload has expired"),
    });
    expect(await store.stat("forgotten")).toBeUndefined();
  });

  test("goes on with an upload though its token has ended", async () => {
    async function* source() {
      yield* content(1.5 * MIB);
      while (chunksSent() === 0) await new Promise(setImmediate);
      fake.oauth.revokeAll();
      yield* content(MIB);
    }
    expect(await store.put("token ended", source())).toMatchObject({ sizeBytes: 2.5 * MIB });
  });

  test("does not tell the address of an upload, which is as good as a key", async () => {
    proxy.cutRequests({ afterBytes: 1_000, times: Number.POSITIVE_INFINITY });
    const error = await storeErrorOf(store.put("secret address", content(MIB)));
    expect(error.code).toBe("unavailable");
    expect(`${error.message} ${JSON.stringify(error)} ${error.cause}`).not.toContain("upload_id");
  });

  test("makes one object of two puts to the same key, the whole of one of them", async () => {
    await Promise.all([1, 2].map((seed) => store.put("contested", content(2.5 * MIB, seed))));
    const possible = await Promise.all([1, 2].map((seed) => digestOfContent(2.5 * MIB, seed)));
    expect(possible).toContain(await digest(store.get("contested")));
  });

  test("takes the whole object for a part of it for what it is", async () => {
    await store.put("whole", content(100_000));
    proxy.answer({ status: 200, times: 1, body: "x".repeat(100), only: /alt=media/ });
    expect((await storeErrorOf(bytesOf(store.get("whole", { offset: 50 })))).code).toBe("corrupt");
  });

  test("says that a token in the Secret has to be renewed when it has ended", async () => {
    const accessToken = fake.oauth.issue("some-user");
    const other = gcsStore({ kind: "gcs", bucket: fake.bucket, endpoint: proxy.url, accessToken }, TUNING);
    expect(await other.stat("nothing")).toBeUndefined();
    fake.oauth.revokeAll();
    const error = await storeErrorOf(other.stat("nothing"));
    expect(error).toMatchObject({
      code: "bad-credentials",
      message: expect.stringContaining("access token in the Secret"),
    });
    await other.close();
  });

  test("asks once for each page of a list, and for no more than it needs", async () => {
    await store.put("one page/a", text("a"));
    proxy.clear();
    expect(await all(store.list("one page/"))).toMatchObject([{ key: "one page/a", sizeBytes: 1 }]);
    expect(proxy.requests).toHaveLength(1);
    expect(proxy.requests[0]).toContain("maxResults=1000");
  });

  test.each(["put", "stat", "delete", "get"] as const)("%s does not follow '..' out of its bucket", async (call) => {
    const calls = {
      put: () => store.put("..", text("x")),
      stat: () => store.stat(".."),
      delete: () => store.delete(".."),
      get: () => bytesOf(store.get("..")),
    };
    expect((await storeErrorOf(calls[call]())).code).toBe("invalid");
    expect(proxy.requests).toEqual([]);
  });
});
