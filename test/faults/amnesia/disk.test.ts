import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "vitest";
import { copyVolume, cutCopyShort, damageVolume, filesOf } from "./disk.ts";

let volume: string;
const log = () => join(volume, "data", "member", "wal", "1.wal");
const database = () => join(volume, "data", "member", "snap", "db");

beforeEach(async () => {
  volume = await mkdtemp(join(tmpdir(), "amnesia-disk-"));
  await mkdir(join(volume, "data", "member", "wal"), { recursive: true });
  await mkdir(join(volume, "data", "member", "snap"));
  await writeFile(join(volume, "guarded-pod-uid"), "uid");
  await writeFile(join(volume, "data", "member", "wal", "0.wal"), Buffer.alloc(50, 1));
  // 100 bytes are used, and the rest is reserved.
  await writeFile(log(), Buffer.concat([Buffer.alloc(100, 1), Buffer.alloc(900)]));
  await writeFile(database(), Buffer.alloc(80, 1));
});
afterEach(() => rm(volume, { recursive: true, force: true }));

const relative = async () => (await filesOf(volume)).map((file) => file.slice(volume.length + 1));

describe("damage to a volume", () => {
  test("can take everything, or the member and not what lies beside it", async () => {
    await damageVolume(volume, { kind: "member-gone" });
    assert.deepEqual(await relative(), ["guarded-pod-uid"]);
    await damageVolume(volume, { kind: "wiped" });
    assert.deepEqual(await readdir(volume), []);
  });

  test("can take the log and leave the database, or the other way round", async () => {
    await damageVolume(volume, { kind: "database-gone" });
    assert.equal((await relative()).includes("data/member/snap/db"), false);
    await damageVolume(volume, { kind: "log-gone" });
    assert.deepEqual(await relative(), ["guarded-pod-uid"]);
  });

  test("cuts the last file of the log within what is used of it", async () => {
    await damageVolume(volume, { kind: "log-cut", at: 0.5 });
    assert.equal((await stat(log())).size, 50);
    assert.equal((await stat(join(volume, "data", "member", "wal", "0.wal"))).size, 50);
  });

  test("overwrites the end of what is used with zeros, and keeps the size", async () => {
    await damageVolume(volume, { kind: "log-zeroed", from: 0.2 });
    const bytes = await readFile(log());
    assert.deepEqual([bytes.length, bytes.lastIndexOf(1)], [1000, 19]);
    await damageVolume(volume, { kind: "database-zeroed", from: 0 });
    assert.equal((await readFile(database())).includes(1), false);
  });

  test("leaves files with nothing in them", async () => {
    await damageVolume(volume, { kind: "emptied" });
    assert.deepEqual([(await stat(log())).size, (await stat(database())).size], [0, 0]);
  });
});

test("a copy replaces the previous files, and can end early: in the middle of a file, without those that follow", async () => {
  const copy = join(volume, "copy");
  await copyVolume(join(volume, "data"), copy);
  await copyVolume(join(volume, "data"), copy);
  const names = async () => (await filesOf(copy)).map((file) => file.slice(copy.length + 1));
  assert.deepEqual(await names(), ["member/snap/db", "member/wal/0.wal", "member/wal/1.wal"]);
  await cutCopyShort(copy, 0.5);
  assert.deepEqual(await names(), ["member/snap/db", "member/wal/0.wal"]);
  assert.equal((await stat(join(copy, "member/wal/0.wal"))).size, 25);
});
