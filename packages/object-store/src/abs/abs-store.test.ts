import { type Azurite, startAzurite } from "@etcd-operator/testing/objectstore/azurite.ts";
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
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ObjectStore } from "../object-store.ts";
import { absStore } from "./abs-store.ts";

const MIB = 2 ** 20;
const TUNING = { idleTimeoutMs: 5_000, attempts: 3, firstRetryMs: 10, partBytes: MIB };
const SIZE = 3.5 * MIB;

describe("a store of Azure's", () => {
  let azurite: Azurite;
  let proxy: FaultProxy;
  let store: ObjectStore;
  beforeAll(async () => {
    azurite = await startAzurite();
    proxy = await startFaultProxy({ upstream: azurite.url });
    const { account, accountKey, container } = azurite;
    store = absStore({ kind: "abs", container, account: `${account}\n`, accountKey, cloud: proxy.url }, TUNING);
  });
  afterEach(() => proxy.clear());
  afterAll(async () => {
    await proxy?.close();
    await azurite?.stop();
  });

  /** Names of all blobs, also of those that are not listed because they have no committed blocks. */
  const seenByAzure = async (prefix: string) => {
    const names: string[] = [];
    for await (const { name } of azurite.client.listBlobsFlat({ prefix, includeUncommitedBlobs: true }))
      names.push(name);
    return names;
  };

  test("leaves blocks of a canceled put uncommitted, and the next put drops them", async () => {
    const controller = new AbortController();
    async function* source() {
      yield* content(2 * MIB);
      await until(async () => (await seenByAzure("called-off")).length > 0, { what: "the first block to arrive" });
      controller.abort();
    }
    const put = store.put("called-off", source(), { signal: controller.signal });
    expect((await storeErrorOf(put)).code).toBe("aborted");
    expect(await all(store.list("called-off"))).toEqual([]);
    expect(await seenByAzure("called-off")).toEqual(["called-off"]);
    await store.put("called-off", text("again"));
    const { uncommittedBlocks } = await azurite.client.getBlockBlobClient("called-off").getBlockList("all");
    expect(uncommittedBlocks ?? []).toEqual([]);
  });

  test("never makes one blob of two puts to the same key", async () => {
    const outcomes = await Promise.allSettled([1, 2].map((seed) => store.put("contested", content(SIZE, seed))));
    for (const outcome of outcomes) {
      // Who comes second finds its blocks dropped by the first one's commit.
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "corrupt", isTransient: true });
    }
    const possible = await Promise.all([1, 2].map((seed) => digestOfContent(SIZE, seed)));
    expect(possible).toContain(await digest(store.get("contested")));
  });

  test("commits again when the answer to the commit was lost", async () => {
    proxy.cutResponses({ afterBytes: 0, times: 1, only: /comp=blocklist/ });
    const stored = await store.put("commit-twice", content(SIZE));
    expect(stored.sizeBytes).toBe(SIZE);
    expect(proxy.requests.filter((asked) => /comp=blocklist/.test(asked))).toHaveLength(2);
    expect(await digest(store.get("commit-twice"))).toBe(await digestOfContent(SIZE));
  });

  test("cannot be called off any more once the commit has begun", async () => {
    const controller = new AbortController();
    proxy.answer({ status: 503, times: 2, only: /comp=blocklist/ });
    const put = store.put("too-late", text("there"), { signal: controller.signal });
    while (!proxy.requests.some((asked) => /comp=blocklist/.test(asked))) await new Promise(setImmediate);
    controller.abort();
    expect(await put).toMatchObject({ key: "too-late", sizeBytes: 5 });
    expect((await bytesOf(store.get("too-late"))).toString()).toBe("there");
  });

  test("asks as often as it was told to, and the library adds no retries", async () => {
    proxy.answer({ status: 503, times: Number.POSITIVE_INFINITY });
    expect((await storeErrorOf(store.stat("busy"))).code).toBe("unavailable");
    expect(proxy.requests).toHaveLength(TUNING.attempts);
  });

  test("asks once for each page of a list", async () => {
    await store.put("one-page/a", text("a"));
    proxy.clear();
    expect(await all(store.list("one-page/"))).toHaveLength(1);
    expect(proxy.requests).toHaveLength(1);
    expect(proxy.requests[0]).toContain("maxresults=1000");
  });

  test.each(["put", "stat", "delete", "get"] as const)("%s does not follow '..' out of its container", async (call) => {
    const key = `../${azurite.container}/elsewhere`;
    const calls = {
      put: () => store.put(key, text("x")),
      stat: () => store.stat(key),
      delete: () => store.delete(key),
      get: () => bytesOf(store.get(key)),
    };
    expect((await storeErrorOf(calls[call]())).code).toBe("invalid");
    expect(proxy.requests).toEqual([]);
  });

  test("says where it is, and which account it is of", () => {
    expect(store.description).toBe(`Azure container 'backups' of account '${azurite.account}'`);
  });
});
