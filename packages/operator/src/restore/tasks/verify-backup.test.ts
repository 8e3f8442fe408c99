import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { canObtain } from "@etcd-operator/testing/etcd/can-obtain.ts";
import { snapshotBytes, writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { beforeAll, describe, test } from "vitest";
import { randomOf } from "../../../../../test/model/random.ts";
import { metadataKey, metadataText } from "../../transfer/snapshot/snapshot-metadata.ts";
import type { RunResult } from "../observation.ts";
import type { Target } from "./refusal.ts";
import { verifySnapshot } from "./verify-backup.ts";

const CLUSTER: Target = { name: "example", version: "3.5.30", storage: "1Gi", origins: undefined };
const PAGE_BYTES = 4096;

let sound: Buffer;
/** The file of a running member, which has no hash at its end. */
let dataFile: Buffer;
beforeAll(async () => {
  ({ snapshot: sound, dataFile } = await snapshotOf("3.5.16"));
});

async function snapshotOf(version: string): Promise<{ snapshot: Buffer; dataFile: Buffer }> {
  const etcd = await startEtcd({ version });
  const client = connectEtcd({ address: new URL(etcd.clientUrl).host });
  try {
    await writeKeys(client, 200);
    const snapshot = await snapshotBytes(client);
    return { snapshot, dataFile: await readFile(join(etcd.dir, "data", "member", "snap", "db")) };
  } finally {
    client.close();
    await etcd.stop();
  }
}

const METADATA = {
  clusterID: "c1",
  etcdVersion: "3.5.16",
  revision: 3,
  sizeBytes: 1,
  sha256: "",
  takenAt: "2030-01-01T00:00:00Z",
  verifiedAt: "2030-01-01T00:00:01Z",
  backup: { namespace: "prod", name: "nightly", uid: "u" },
};

async function verify(file: Uint8Array | undefined, target = CLUSTER, metadata?: object): Promise<RunResult> {
  const store = new MemoryStore();
  if (file) store.objects.set("etcd", file);
  if (metadata) store.objects.set(metadataKey("etcd"), Buffer.from(metadataText({ ...METADATA, ...metadata })));
  const opened = { store, key: "etcd", pathOf: (key: string) => `backups/${key}`, close: async () => undefined };
  return verifySnapshot(opened, target, { signal: new AbortController().signal, report: () => undefined });
}

/** Every refusal names the object and says what to do. */
async function assertRefused(
  file: Uint8Array | undefined,
  reasons: readonly string[],
  message: RegExp,
  target?: Target,
) {
  const result = await verify(file, target);
  assert.ok(result.kind === "refused", JSON.stringify(result));
  assert.ok(reasons.includes(result.reason), `${result.reason}: ${result.message}`);
  assert.match(result.message, /'backups\/etcd'/);
  assert.match(result.message, message);
  assert.match(result.message, /\. (Set|Use|Restore|Create|Request|Correct) /);
}

describe("a snapshot that is complete", () => {
  test("is described by what is in it", async () => {
    const result = await verify(sound);
    const sha256 = createHash("sha256").update(sound).digest("hex");
    const facts = { path: "backups/etcd", revision: 3, etcdVersion: "3.5.0", sizeBytes: sound.length, sha256 };
    assert.deepEqual(result, { kind: "verified", snapshot: facts, modifiedAtMs: 0 });
  });

  test("is described by what lies beside it, where that agrees", async () => {
    const sha256 = createHash("sha256").update(sound).digest("hex");
    const result = await verify(sound, CLUSTER, { sha256 });
    assert.ok(result.kind === "verified");
    assert.deepEqual([result.snapshot.etcdVersion, result.snapshot.clusterID], ["3.5.16", "c1"]);
    assert.equal(result.snapshot.takenAt, METADATA.takenAt);
  });

  test("counts by itself where the object beside it is not ours", async () => {
    const store = new MemoryStore();
    store.objects.set("etcd", sound);
    store.objects.set(metadataKey("etcd"), Buffer.from("{ not ours"));
    const opened = { store, key: "etcd", pathOf: (key: string) => key, close: async () => undefined };
    const context = { signal: new AbortController().signal, report: () => undefined };
    assert.equal((await verifySnapshot(opened, CLUSTER, context)).kind, "verified");
  });

  test.each([
    ["of the cluster's minor", "3.5.3"],
    ["of the minor before", "3.6.0"],
  ])("%s is taken", async (_, version) => {
    assert.equal((await verify(sound, { ...CLUSTER, version })).kind, "verified");
  });
});

describe("a snapshot that must not be restored", () => {
  test("because it is not there", () =>
    assertRefused(undefined, ["NotFound"], /'backups\/etcd' does not exist in memory bucket/));

  test("because it was cut off, at whatever page", async () => {
    for (let size = 0; size < sound.length; size += PAGE_BYTES) {
      await assertRefused(
        sound.subarray(0, size),
        ["NoSnapshot", "NoHash"],
        /not an etcd snapshot|does not end in the hash/,
      );
    }
  });

  test("because a bit of it was changed, wherever that is", async () => {
    const random = randomOf(4_711);
    for (let run = 0; run < 200; run += 1) {
      const changed = Buffer.from(sound);
      const at = random.int(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.int(8));
      await assertRefused(changed, ["NoSnapshot", "Damaged"], /is damaged|is not an etcd snapshot/);
    }
  });

  test("because its hash was cut off", () =>
    assertRefused(sound.subarray(0, -32), ["NoHash"], /does not end in the hash/));

  test("because it has another hash at its end", () => {
    const other = Buffer.concat([sound.subarray(0, -32), createHash("sha256").update("other").digest()]);
    return assertRefused(other, ["Damaged"], /do not match its own hash/);
  });

  test.each<[string, () => Buffer, string]>([
    ["a text", () => Buffer.from("apiVersion: v1\nkind: Secret\n".repeat(4_000)), "NoSnapshot"],
    ["an archive", () => Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(100_000, 7)]), "NoSnapshot"],
    ["nothing", () => Buffer.alloc(0), "NoSnapshot"],
    ["the file of a data directory", () => dataFile, "NoHash"],
  ])("because it is %s", async (_, file, reason) => {
    await assertRefused(file(), [reason], /./);
  });

  test("because it is not the one that was taken, though it is complete", async () => {
    const result = await verify(sound, CLUSTER, { sha256: "0".repeat(64) });
    assert.ok(result.kind === "refused");
    assert.equal(result.reason, "NotAsRecorded");
  });

  test.each([
    [
      "newer",
      "3.4.27",
      "NewerVersion",
      /comes from etcd 3\.5, newer than EtcdCluster 'example' of 3\.4\..*Restore it into a cluster of 3\.5/,
    ],
    [
      "more than a minor older",
      "3.7.0",
      "OldVersion",
      /too old for EtcdCluster 'example' of 3\.7\..*3\.5 or 3\.6 first/,
    ],
  ])("because it is %s than the cluster", async (_, version, reason, message) => {
    await assertRefused(sound, [reason], message, { ...CLUSTER, version });
  });

  test("because what lies beside it says that it is newer, whatever the file says", async () => {
    const sha256 = createHash("sha256").update(sound).digest("hex");
    const result = await verify(sound, CLUSTER, { sha256, etcdVersion: "3.6.1" });
    assert.ok(result.kind === "refused" && result.reason === "NewerVersion");
  });

  test("because it comes from 3.6, by its storage version", async (context) => {
    if (!(await canObtain("3.6.16"))) return context.skip("etcd 3.6 cannot be had here");
    const { snapshot } = await snapshotOf("3.6.16");
    await assertRefused(snapshot, ["NewerVersion"], /comes from etcd 3\.6/);
  });

  test("because it is another cluster's, or of an unknown one, where no user has chosen it", async () => {
    const sha256 = createHash("sha256").update(sound).digest("hex");
    const target = { ...CLUSTER, origins: ["c2", "c1"] };
    assert.equal((await verify(sound, target, { sha256 })).kind, "verified");
    await assertRefused(sound, ["OtherCluster"], /no metadata .*Create an EtcdRestore to use it anyway/, target);
    for (const origins of [["c2"], []]) {
      const result = await verify(sound, { ...CLUSTER, origins }, { sha256 });
      assert.ok(result.kind === "refused" && result.reason === "OtherCluster");
      assert.match(
        result.message,
        /^'backups\/etcd' is a backup of the etcd cluster c1, .*Create an EtcdRestore to use it anyway/,
      );
    }
    const forged = await verify(sound, target, { sha256: "0".repeat(64) });
    assert.ok(forged.kind === "refused" && forged.reason === "NotAsRecorded");
  });

  test("because the members' volumes are too small for it and for the log beside it", async () => {
    await assertRefused(sound, ["TooLarge"], /more than the 64Mi that members of EtcdCluster 'example' have/, {
      ...CLUSTER,
      storage: "64Mi",
    });
    assert.equal((await verify(sound, { ...CLUSTER, storage: "65Mi" })).kind, "verified");
    assert.equal((await verify(sound, { ...CLUSTER, storage: undefined })).kind, "verified");
  });
});
