import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canObtain } from "@etcd-operator/testing/etcd/can-obtain.ts";
import { readingFrom, snapshotBytes, writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { randomOf } from "../../../../test/model/random.ts";
import { connectEtcd, type EtcdClient } from "../etcd-client.ts";
import { type SnapshotContents, snapshotContents } from "./snapshot-contents.ts";

const contentsOf = (file: Uint8Array): Promise<SnapshotContents> =>
  snapshotContents(readingFrom(file).read, file.length);

describe.each(["3.3.25", "3.4.23", "3.5.30", "3.6.16", "3.7.3"])("a snapshot of etcd %s", (version) => {
  test("tells its revision and the versions it comes from", async (context) => {
    if (!(await canObtain(version))) return context.skip(`etcd ${version} cannot be had here`);
    await withEtcd(version, async (client) => {
      await writeKeys(client, 300);
      await client.delete({ key: "key/7" });
      const file = await snapshotBytes(client);
      const { revision } = await client.status();
      const minor = Number(version.split(".")[1]);
      assert.deepEqual(await contentsOf(file), {
        kind: "database",
        revision: Number(revision),
        clusterVersion: `3.${minor}.0`,
        ...(minor >= 6 && { storageVersion: `3.${minor}.0` }),
        pageSize: 4096,
        databaseBytes: file.length - 32,
      });
    });
  });
});

describe("a snapshot", () => {
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

  // These build on each other: a fresh store, then one with more and more in it.
  test("of a store without any key is at revision 1", async () => {
    await assertRevision(1);
  });

  test("of a store with one small key is read, though all its buckets lie in one page", async () => {
    await client.put({ key: "a", value: "1" });
    await assertRevision(2);
  });

  test("of a store whose newest entry is a deletion, or was one before it was compacted away, has that revision", async () => {
    await client.delete({ key: "a" });
    await assertRevision(3);
    await client.compact(3n, { physical: true });
    await until(async () => assertRevision(3).then(() => true), { what: "the compaction to be in the snapshot" });
    assert.equal((await client.status()).revision, 3n);
  });

  test("of a large tree is read in a few pieces", async () => {
    const wide = Buffer.alloc(300, "v");
    for (let round = 0; round < 4; round += 1) await writeKeys(client, 15_000, () => wide);
    const file = await snapshotBytes(client);
    assert.ok(file.length > 20_000_000, `${file.length} bytes`);
    const { read, asked } = readingFrom(file);
    const contents = await snapshotContents(read, file.length);
    assert.ok(contents.kind === "database");
    assert.equal(BigInt(contents.revision), (await client.status()).revision);
    assert.ok(asked.pieces <= 12, `${asked.pieces} pieces`);
  });

  test("with values that fill many pages each is read in a few pieces", async () => {
    for (let n = 0; n < 4; n += 1) await client.put({ key: `large${n}`, value: Buffer.alloc(1_000_000, "x") });
    const file = await snapshotBytes(client);
    const { read, asked } = readingFrom(file);
    const contents = await snapshotContents(read, file.length);
    assert.ok(contents.kind === "database");
    assert.equal(BigInt(contents.revision), (await client.status()).revision);
    assert.ok(asked.pieces <= 12, `${asked.pieces} pieces`);
  });

  test("keeps its revision after most of it was compacted away", async () => {
    await client.delete({ key: "key/", rangeEnd: "key0" });
    const { revision } = await client.status();
    await client.compact(revision, { physical: true });
    await assertRevision(Number(revision));
  });

  test("and the file of a running member are read alike", async () => {
    const file = await readFile(join(etcd.dir, "data", "member", "snap", "db"));
    assert.equal((await contentsOf(file)).kind, "database");
  });

  async function assertRevision(revision: number): Promise<void> {
    const contents = await contentsOf(await snapshotBytes(client));
    assert.deepEqual([contents.kind, contents.kind === "database" && contents.revision], ["database", revision]);
  }
});

describe("a file that is no snapshot", () => {
  let sound: Buffer;
  beforeAll(async () => {
    await withEtcd("3.5.16", async (client) => {
      await writeKeys(client, 3_000);
      sound = await snapshotBytes(client);
    });
  });

  test.each<[string, (file: Buffer) => Buffer, RegExp]>([
    ["is empty", () => Buffer.alloc(0), /too short/],
    ["is a text", () => Buffer.from("apiVersion: v1\n".repeat(1_000)), /does not begin as a database/],
    ["is a zip archive", () => Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(9_000)]), /does not begin/],
    ["is full of zeros", () => Buffer.alloc(40_960), /does not begin as a database/],
    ["lost its end", (file) => file.subarray(0, file.length / 2), /should have \d+ bytes of data at least/],
    ["has a changed first page", (file) => changed(file, 24), /does not begin as a database/],
  ])("because it %s is told so", async (_, spoil, why) => {
    const contents = await contentsOf(spoil(sound));
    assert.ok(contents.kind === "no-database");
    assert.match(contents.why, why);
  });

  test("because its pages lead back to themselves ends the search", async () => {
    const file = Buffer.from(sound);
    // Every page becomes a branch whose first and only child is itself.
    for (let page = 2; page * 4096 < file.length - 4096; page += 1) {
      const at = page * 4096;
      file.writeUInt16LE(0x01, at + 8);
      file.writeUInt16LE(1, at + 10);
      file.writeUInt32LE(0, at + 12);
      file.writeUInt32LE(16, at + 16);
      file.writeUInt32LE(1, at + 20);
      file.writeBigUInt64LE(BigInt(page), at + 24);
    }
    const contents = await contentsOf(file);
    assert.deepEqual(contents, { kind: "no-database", why: "its pages form no tree" });
  });

  test("whatever is changed in it ends with an answer, after a bounded number of reads", async () => {
    const random = randomOf(20_240_607);
    for (let run = 0; run < 400; run += 1) {
      const file = Buffer.from(sound);
      for (let change = 0; change <= random.int(40); change += 1) {
        // Where decisions are made: headers of pages and the elements that follow them, never the checked first two
        // pages.
        const page = 2 + random.int(file.length / 4096 - 2);
        file[page * 4096 + random.int(64)] = random.chance(0.3) ? 0xff : random.int(256);
      }
      const { read, asked } = readingFrom(file);
      const contents = await snapshotContents(read, file.length);
      assert.ok(["database", "no-database"].includes(contents.kind));
      assert.ok(asked.bytes <= 8 * 1024 * 1024, `run ${run} read ${asked.bytes} bytes`);
    }
  });

  test("what the store fails with is passed on, and a store that gives less than it has is a defect", async () => {
    const failure = new Error("the store is away");
    const failing = snapshotContents(() => Promise.reject(failure), sound.length);
    await assert.rejects(failing, failure);
    const short = await snapshotContents(async () => new Uint8Array(0), sound.length);
    assert.deepEqual(short, { kind: "no-database", why: "it ends at byte 0, before its end" });
  });
});

function changed(file: Buffer, at: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

async function withEtcd(version: string, use: (client: EtcdClient) => Promise<void>): Promise<void> {
  const etcd = await startEtcd({ version });
  const client = connectEtcd({ address: new URL(etcd.clientUrl).host });
  try {
    await use(client);
  } finally {
    client.close();
    await etcd.stop();
  }
}
