import assert from "node:assert/strict";
import { prefixEnd } from "@etcd-operator/etcd-client";
import type { WatchMessage } from "@etcd-operator/etcd-client/watch.ts";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { describe, test } from "vitest";
import { memoryEtcd } from "./memory-etcd.ts";

const under = (prefix: string) => ({ key: prefix, rangeEnd: prefixEnd(prefix) });
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("an etcd in memory", () => {
  test("gives every write a revision of its own, and remembers when a key was created and changed", async () => {
    const etcd = memoryEtcd();
    await etcd.put({ key: "/a", value: "1" });
    await etcd.put({ key: "/a", value: "2" });
    const { keyValues, revision } = await etcd.range({ key: "/a" });
    assert.equal(revision, 3n);
    const [found] = keyValues;
    assert.deepEqual([found?.createRevision, found?.modRevision, found?.version], [2n, 3n, 2n]);
  });

  test("runs one side of a transaction completely", async () => {
    const etcd = memoryEtcd();
    const isNew = { key: "/a", target: "createRevision", is: "=", to: 0n } as const;
    const write = (value: string) =>
      etcd.transaction({
        compare: [isNew],
        success: [
          { kind: "put", key: "/a", value },
          { kind: "put", key: "/b", value },
        ],
      });
    assert.deepEqual(await write("1").then(({ succeeded, revision }) => [succeeded, revision]), [true, 2n]);
    assert.deepEqual(await write("2").then(({ succeeded, revision }) => [succeeded, revision]), [false, 2n]);
    const { keyValues } = await etcd.range(under("/"));
    assert.deepEqual(
      keyValues.map(({ value, modRevision }) => [textOf(value), modRevision]),
      [
        ["1", 2n],
        ["1", 2n],
      ],
    );
  });

  test("shows what there was at an earlier revision, in pages", async () => {
    const etcd = memoryEtcd();
    for (const key of ["/a", "/b", "/c"]) await etcd.put({ key, value: "old" });
    await etcd.put({ key: "/b", value: "new" });
    await etcd.delete({ key: "/c" });
    const page = await etcd.range({ ...under("/"), revision: 4n, limit: 2 });
    assert.deepEqual(
      page.keyValues.map(({ key, value }) => [textOf(key), textOf(value)]),
      [
        ["/a", "old"],
        ["/b", "old"],
      ],
    );
    assert.deepEqual([page.count, page.hasMore], [3, true]);
  });

  test("sends a watch what happened since its revision and what happens then, each once and in order", async () => {
    const etcd = memoryEtcd();
    await etcd.put({ key: "/a", value: "1" });
    await etcd.put({ key: "/other", value: "1" });
    const end = new AbortController();
    const seen: string[] = [];
    const watch = etcd.watch({ ...under("/a"), startRevision: 2n }, { signal: end.signal });
    const following = (async () => {
      for await (const message of watch) {
        seen.push(...wordsOf(message));
        if (seen.length === 3) end.abort();
      }
    })();
    await etcd.put({ key: "/a", value: "2" });
    await etcd.put({ key: "/other", value: "2" });
    await etcd.delete({ key: "/a" });
    await following;
    assert.deepEqual(seen, ["put 1 2", "put 2 4", "delete  6"]);
  });

  test("refuses what is compacted, and says from where on it knows", async () => {
    const etcd = memoryEtcd();
    await etcd.put({ key: "/a", value: "1" });
    await etcd.put({ key: "/a", value: "2" });
    await etcd.compact(3n);
    assert.equal((await errorOf(etcd.range({ key: "/a", revision: 2n }))).code, "compacted");
    const watch = etcd.watch({ key: "/a", startRevision: 2n })[Symbol.asyncIterator]();
    assert.equal((await errorOf(watch.next())).compactRevision, 4n);
  });

  test("goes its own way as a copy", async () => {
    const etcd = memoryEtcd();
    await etcd.put({ key: "/a", value: "1" });
    const copy = etcd.copy();
    await copy.put({ key: "/b", value: "1" });
    assert.equal((await etcd.range(under("/"))).count, 1);
    assert.equal((await copy.range(under("/"))).count, 2);
  });
});

function wordsOf(message: WatchMessage): string[] {
  if (message.kind !== "events") return [];
  return message.events.map(({ kind, keyValue }) => `${kind} ${textOf(keyValue.value)} ${keyValue.modRevision}`);
}
