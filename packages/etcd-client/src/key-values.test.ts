import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";
import { type KeyValue, prefixEnd } from "./key-value.ts";

let etcd: EtcdProcess;
let client: EtcdClient;
beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16" });
  client = connectEtcd({ address: new URL(etcd.clientUrl).host });
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
});

describe("range, put and delete", () => {
  test("a put can be read back, by us and by etcdctl", async () => {
    const { revision } = await client.put({ key: "a", value: "ä" });
    const read = await client.range({ key: "a" });
    expect(read).toMatchObject({ revision, count: 1, hasMore: false });
    expect(read.keyValues).toEqual([
      {
        key: bytes("a"),
        value: bytes("ä"),
        createRevision: revision,
        modRevision: revision,
        version: 1n,
        lease: 0n,
      },
    ]);
    expect(await etcd.etcdctl("get", "a", "--print-value-only")).toBe("ä\n");
  });

  test("a prefix can be read in pages at one revision", async () => {
    for (const name of ["1", "2", "3"]) await client.put({ key: `page/${name}`, value: name });
    const rangeEnd = prefixEnd("page/");
    const first = await client.range({ key: "page/", rangeEnd, limit: 2 });
    expect([first.hasMore, first.count, texts(first.keyValues)]).toEqual([true, 3, ["1", "2"]]);
    await client.put({ key: "page/3", value: "changed" });
    const last = await client.range({ key: "page/3", rangeEnd, revision: first.revision });
    expect([last.hasMore, texts(last.keyValues)]).toEqual([false, ["3"]]);
  });

  test("the previous value comes along when asked for", async () => {
    await client.put({ key: "p", value: "old" });
    const { previous } = await client.put({ key: "p", value: "new", withPrevious: true });
    expect(texts(previous ? [previous] : [])).toEqual(["old"]);
    const deletion = await client.delete({ key: "p", withPrevious: true });
    expect([deletion.deleted, texts(deletion.previous)]).toEqual([1, ["new"]]);
    expect((await client.range({ key: "p" })).keyValues).toEqual([]);
  });

  test("values of a megabyte travel in many pieces, many at once", async () => {
    const value = Buffer.alloc(1 << 20, "x");
    const keys = Array.from({ length: 16 }, (_, index) => `big/${index}`);
    await Promise.all(keys.map((key) => client.put({ key, value }, { timeoutMs: 30_000 })));
    const everything = { key: "big/", rangeEnd: prefixEnd("big/") };
    // Together they are more than an answer may have, unless the client was told otherwise.
    expect((await errorOf(client.range(everything))).code).toBe("too-large");
    const patient = connectEtcd({ address: new URL(etcd.clientUrl).host }, { mostMessageBytes: 32 << 20 });
    const read = await patient.range(everything).finally(() => patient.close());
    expect(read.keyValues.every((kv) => value.equals(kv.value))).toBe(true);
    expect(read.count).toBe(keys.length);
  });

  test("a value that etcd does not take is too large", async () => {
    // Up to 2 MiB etcd itself refuses it, beyond that its gRPC server does.
    for (const size of [1_700_000, 2_500_000]) {
      const put = client.put({ key: "huge", value: Buffer.alloc(size) });
      expect((await errorOf(put)).code).toBe("too-large");
    }
  });
});

describe("transaction", () => {
  test("creates a key once", async () => {
    const create = (value: string) =>
      client.transaction({
        compare: [{ key: "once", target: "modRevision", is: "=", to: 0n }],
        success: [{ kind: "put", key: "once", value }],
        failure: [{ kind: "range", key: "once" }],
      });
    const first = await create("first");
    expect(first).toMatchObject({ succeeded: true, results: [{ kind: "put", revision: first.revision }] });
    const [read] = (await create("second")).results;
    expect(read?.kind === "range" && texts(read.keyValues)).toEqual(["first"]);
  });

  test.each([
    [{ target: "version", is: "=", to: 1n }, true],
    [{ target: "version", is: ">", to: 1n }, false],
    [{ target: "createRevision", is: "!=", to: 0n }, true],
    [{ target: "modRevision", is: "<", to: 2n }, false],
    [{ target: "value", is: "=", to: "v" }, true],
    [{ target: "value", is: "!=", to: "v" }, false],
    [{ target: "lease", is: "=", to: 0n }, true],
  ] as const)("compares %o", async (comparison, expected) => {
    await client.delete({ key: "compared" });
    await client.put({ key: "compared", value: "v" });
    const { succeeded } = await client.transaction({ compare: [{ key: "compared", ...comparison }], success: [] });
    expect(succeeded).toBe(expected);
  });

  test("deletes and reads in one step, results in order", async () => {
    await client.put({ key: "gone", value: "v" });
    const { results } = await client.transaction({
      compare: [],
      success: [
        { kind: "delete", key: "gone" },
        { kind: "range", key: "gone" },
      ],
    });
    expect(results).toMatchObject([
      { kind: "delete", deleted: 1 },
      { kind: "range", count: 0 },
    ]);
  });

  test("is refused as invalid when it writes a key twice", async () => {
    const put = { kind: "put", key: "twice", value: "v" } as const;
    expect((await errorOf(client.transaction({ compare: [], success: [put, put] }))).code).toBe("invalid");
  });
});

describe("compact", () => {
  test("makes older revisions unreadable, and nothing else", async () => {
    const { revision } = await client.put({ key: "c", value: "1" });
    const newer = await client.put({ key: "c", value: "2" });
    await client.compact(newer.revision, { physical: true });
    expect((await errorOf(client.range({ key: "c", revision }))).code).toBe("compacted");
    expect(texts((await client.range({ key: "c" })).keyValues)).toEqual(["2"]);
  });

  test("refuses the future", async () => {
    expect((await errorOf(client.compact(1_000_000n))).code).toBe("future-revision");
    expect((await errorOf(client.range({ key: "c", revision: 1_000_000n }))).code).toBe("future-revision");
  });
});

describe("leases", () => {
  test("a key goes with its lease", async () => {
    const { id, ttlSeconds } = await client.grantLease(60);
    expect(ttlSeconds).toBe(60);
    await client.put({ key: "leased", value: "v", lease: id });
    expect((await client.range({ key: "leased" })).keyValues[0]?.lease).toBe(id);
    expect(await client.keepLeaseAlive(id)).toEqual({ id, ttlSeconds: 60 });
    await client.revokeLease(id);
    expect((await client.range({ key: "leased" })).count).toBe(0);
  });

  test("a lease that is gone is not found", async () => {
    expect((await errorOf(client.keepLeaseAlive(4711n))).code).toBe("not-found");
    expect((await errorOf(client.revokeLease(4711n))).code).toBe("not-found");
  });
});

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

function texts(keyValues: readonly KeyValue[]): string[] {
  return keyValues.map(({ value }) => Buffer.from(value).toString());
}
