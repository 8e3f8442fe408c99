import { execFile } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "../etcd-client.ts";
import { SnapshotCheck } from "./snapshot-file.ts";

let etcd: EtcdProcess;
let client: EtcdClient;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "etcd-snapshot-"));
  etcd = await startEtcd({ version: "3.5.16" });
  client = connectEtcd({ address: new URL(etcd.clientUrl).host });
  for (let n = 0; n < 8; n++) await client.put({ key: `k${n}`, value: Buffer.alloc(1_000_000, `${n}`) });
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
  await rm(dir, { recursive: true, force: true });
});

describe("snapshot", () => {
  test("is whole by its own hash, and etcdutl restores it", async () => {
    const file = join(dir, "whole.db");
    const check = new SnapshotCheck();
    await pipeline(Readable.from(kept(client.snapshot())), createWriteStream(file));
    for await (const chunk of createReadStream(file)) check.update(chunk);
    expect(check.verdict()).toBe("ok");
    expect(check.sizeBytes).toBeGreaterThan(8_000_000);
    await run("snapshot", "restore", file, "--data-dir", join(dir, "restored"));
  });

  test("with its hash cut off passes etcdutl's status, but not our check", async () => {
    const file = join(dir, "cut.db");
    const check = new SnapshotCheck();
    await pipeline(Readable.from(kept(client.snapshot())), createWriteStream(file));
    await truncate(file, (await stat(file)).size - 32);
    await run("snapshot", "status", file);
    for await (const chunk of createReadStream(file)) check.update(chunk);
    expect(check.verdict()).toBe("hash-missing");
  });

  test("stops when the signal fires", async () => {
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of client.snapshot({ signal: controller.signal })) controller.abort();
    };
    expect((await errorOf(read())).code).toBe("canceled");
  });

  test("leaves the connection in order when it is left half-way", async () => {
    for await (const chunk of client.snapshot()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect((await client.status()).version).toBe("3.5.16");
  });
});

/** A stream reads ahead, and so needs copies. */
async function* kept(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

async function run(...args: readonly string[]): Promise<void> {
  await promisify(execFile)(etcd.binaries.etcdutl ?? etcd.binaries.etcdctl, [...args]);
}
