import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorOf } from "../../../test/support/etcd/error-of.ts";
import { type EtcdProcess, startEtcd } from "../../../test/support/etcd-process.ts";
import { connectEtcd, type EtcdClient } from "../etcd-client.ts";
import { prefixEnd } from "../key-value.ts";
import type { WatchMessage } from "../watch.ts";
import { withLoopback } from "./loopback-client.ts";

describe("a client with a shorter way", () => {
  let etcd: EtcdProcess;
  let usual: EtcdClient;
  let short: EtcdClient;

  beforeAll(async () => {
    etcd = await startEtcd({ version: "3.5.16" });
    const address = new URL(etcd.clientUrl).host;
    usual = connectEtcd({ address });
    short = withLoopback(connectEtcd({ address }));
  });
  afterAll(async () => {
    usual?.close();
    short?.close();
    await etcd?.stop();
  });

  test.each([1, 200, 15_000, 100_000])("writes and reads %s bytes as the usual one does", async (size) => {
    const key = `size/${size}`;
    const value = "v".repeat(size);
    const creation = {
      compare: [{ key, target: "createRevision", is: "=", to: 0n }] as const,
      success: [{ kind: "put", key, value }] as const,
      failure: [{ kind: "range", key }] as const,
    };
    const first = await short.transaction(creation);
    expect(first).toMatchObject({ succeeded: true, results: [{ kind: "put" }] });
    const second = await short.transaction(creation);
    expect(second).toMatchObject({ succeeded: false, results: [{ kind: "range", count: 1 }] });
    expect(await short.range({ key })).toEqual(asBuffers(await usual.range({ key })));
    expect(String((await short.range({ key })).keyValues[0]?.value)).toBe(value);
  });

  test("has the errors of the usual one", async () => {
    const future = { key: "a", revision: 1n << 40n };
    expect((await errorOf(short.range(future))).code).toBe("future-revision");
    expect((await errorOf(short.range(future))).message).toBe((await errorOf(usual.range(future))).message);
  });

  test("many at once come to their answers, large ones among them", async () => {
    const keys = Array.from({ length: 300 }, (_, index) => `many/${index}`);
    await Promise.all(
      keys.map((key, index) => {
        const value = "x".repeat(index % 10 === 0 ? 30_000 : 3_000);
        return short.transaction({ compare: [], success: [{ kind: "put", key, value }] });
      }),
    );
    const { count } = await usual.range({ key: "many/", rangeEnd: prefixEnd("many/"), countOnly: true });
    expect(count).toBe(keys.length);
  });

  test("watches: what is created, changed and deleted, in order, and progress when asked", async () => {
    const watch = short.watch({ key: "w/", rangeEnd: prefixEnd("w/"), withPrevious: true });
    const messages = watch[Symbol.asyncIterator]();
    expect((await messages.next()).value).toMatchObject({ kind: "created" });
    for (let round = 0; round < 50; round += 1) await usual.put({ key: `w/${round}`, value: "v".repeat(1_000) });
    await usual.delete({ key: "w/7" });
    const events: string[] = [];
    while (events.length < 51) {
      const { value } = await messages.next();
      if (value?.kind !== "events") throw new Error(`a watch says ${JSON.stringify(value?.kind)}`);
      for (const { kind, keyValue, previous } of value.events) {
        events.push(`${kind} ${Buffer.from(keyValue.key)}${previous ? " before" : ""}`);
      }
    }
    const puts = Array.from({ length: 50 }, (_, round) => `put w/${round}`);
    expect(events).toEqual([...puts, "delete w/7 before"]);
    watch.requestProgress();
    expect(((await messages.next()).value as WatchMessage).kind).toBe("progress");
    await messages.return?.();
    expect(await messages.next()).toMatchObject({ done: true });
  });

  test("a watch ends by its signal, and of what is compacted says so", async () => {
    const stop = new AbortController();
    const messages = short.watch({ key: "s" }, { signal: stop.signal })[Symbol.asyncIterator]();
    await messages.next();
    const ended = errorOf(Promise.resolve(messages.next()));
    stop.abort();
    expect((await ended).code).toBe("canceled");
    await usual.put({ key: "old", value: "1" });
    const { revision } = await usual.put({ key: "old", value: "2" });
    await usual.compact(revision);
    const old = short.watch({ key: "old", startRevision: 1n })[Symbol.asyncIterator]();
    const late = async () => {
      for (let left = 2; left > 0; left -= 1) await old.next();
    };
    expect(await errorOf(late())).toMatchObject({ code: "compacted", compactRevision: revision });
  });

  test("after close nothing is sent any more", async () => {
    const client = withLoopback(connectEtcd({ address: new URL(etcd.clientUrl).host }));
    await client.range({ key: "a" });
    const messages = client.watch({ key: "a" })[Symbol.asyncIterator]();
    await messages.next();
    const ended = errorOf(Promise.resolve(messages.next()));
    client.close();
    expect((await ended).code).toBe("canceled");
    expect((await errorOf(client.range({ key: "a" }))).code).toBe("canceled");
    const late = client.watch({ key: "a" })[Symbol.asyncIterator]();
    expect((await errorOf(Promise.resolve(late.next()))).code).toBe("canceled");
  });
});

/** What is read without a copy is of Node's own kind. */
function asBuffers(result: Awaited<ReturnType<EtcdClient["range"]>>) {
  const keyValues = result.keyValues.map((kv) => ({ ...kv, key: Buffer.from(kv.key), value: Buffer.from(kv.value) }));
  return { ...result, keyValues };
}
