import assert from "node:assert/strict";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { systemClock } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { aRestoreSeen } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { aRunContext, aWorker, inNoTime } from "@etcd-operator/testing/restore/a-worker.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { UNTIL_NOT_NEEDED } from "./retrying.ts";
import { saveSurvivor } from "./save-survivor.ts";
import type { Worker } from "./worker.ts";

const seen = aRestoreSeen();
const cluster = seen.cluster ?? assert.fail();
const address = (etcd: EtcdProcess) => new URL(etcd.clientUrl).host;

let etcd: EtcdProcess;
let store: MemoryStore;
beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16" });
  const client = connectEtcd({ address: address(etcd) });
  await writeKeys(client, 100);
  client.close();
});
afterAll(() => etcd?.stop());
beforeEach(() => {
  store = new MemoryStore();
});

/** An API server that knows one cluster and the pods given. */
function asked(podCount: number, more: Partial<Worker> = {}): Worker {
  const owner = { uid: cluster.metadata.uid };
  const pod = {
    metadata: { name: "example-0", ownerReferences: [owner] },
    status: { phase: "Running", podIP: "10.0.0.1" },
  };
  const client = {
    get: async () => ({ ...cluster, status: {} }),
    list: async () => ({ items: Array(podCount).fill(pod) }),
  };
  const connect: Worker["connect"] = (_, options) => connectEtcd({ address: address(etcd) }, options);
  return aWorker(store, client, { connect, ...more });
}

describe("saving what answers", () => {
  test("stores a verified snapshot with its metadata, named after the restore", async () => {
    const result = await saveSurvivor(asked(1), { cluster, backup: undefined }, aRunContext());
    assert.ok(result.kind === "saved");
    const { snapshot } = result;
    const key = snapshot.path.slice("backups/".length);
    assert.match(key, /^etcd_safety_0a1b2c3d_\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d$/);
    assert.ok(result.verifiedMs >= Date.parse(snapshot.takenAt ?? ""));
    assert.equal(store.objects.get(key)?.length, snapshot.sizeBytes);
    const metadata = JSON.parse(Buffer.from(store.objects.get(`${key}.metadata.json`) ?? []).toString());
    assert.deepEqual([metadata.sha256, metadata.revision], [snapshot.sha256, snapshot.revision]);
    assert.deepEqual(metadata.backup, { namespace: "prod", name: "example", uid: seen.restore.metadata.uid });
  });

  test("does not overwrite what an earlier attempt has saved", async () => {
    const { restore } = aRestoreSeen({ status: { observedGeneration: 3 } });
    const result = await saveSurvivor(asked(1, { restore }), { cluster, backup: undefined }, aRunContext());
    assert.ok(result.kind === "saved");
    assert.match(result.snapshot.path, /^backups\/etcd_safety_0a1b2c3d_3_2/);
  });

  test("does not overwrite what a process saved that is gone, but removes what it left unverified", async () => {
    store.objects.set("etcd_safety_0a1b2c3d_2020-01-01-00:00:00", Buffer.from("half of it"));
    store.objects.set("etcd_safety_99999999", Buffer.from("of another restore"));
    const first = await saveSurvivor(asked(1), { cluster, backup: undefined }, aRunContext());
    assert.ok(first.kind === "saved");
    const key = first.snapshot.path.slice("backups/".length);
    assert.deepEqual([...store.objects.keys()].sort(), [key, `${key}.metadata.json`, "etcd_safety_99999999"]);
    const clock = { ...systemClock, now: () => Date.now() + 60_000 };
    await saveSurvivor(asked(1, { clock }), { cluster, backup: undefined }, aRunContext());
    assert.equal(store.objects.size, 5);
  });

  test("continues without when no member responds, after several attempts", async () => {
    const clock = new FakeClock();
    const told = aRunContext();
    const result = await inNoTime(clock, saveSurvivor(asked(0, { clock }), { cluster, backup: undefined }, told));
    assert.ok("kind" in result && result.kind === "no-member");
    assert.match(result.why, /has no running member/);
    assert.equal(told.reports.filter(({ trouble }) => trouble !== undefined).length, 3);
    assert.ok(clock.monotonic() <= 10_000, "a cluster that lost all does not wait for long");
  });

  test("does not continue when a member responds and cannot be saved", async () => {
    store.beforeCall = (call) => {
      if (call.startsWith("put")) throw new ObjectStoreError("full", { operation: call, message: "no room" });
    };
    const failed = await saveSurvivor(asked(1), { cluster, backup: undefined }, aRunContext()).catch(
      (error: unknown) => error,
    );
    assert.ok(failed instanceof ObjectStoreError);
    assert.equal(store.objects.size, 0);
  });

  test("waits for a store that is away for five minutes, where the operator restores by itself", async () => {
    const clock = new FakeClock();
    const backMs = clock.monotonic() + 300_000;
    store.beforeCall = (call) => {
      if (clock.monotonic() < backMs) throw new ObjectStoreError("unavailable", { operation: call, message: "away" });
    };
    const saving = saveSurvivor(
      asked(1, { clock, patience: UNTIL_NOT_NEEDED }),
      { cluster, backup: undefined },
      aRunContext(),
    );
    let isSettled = false;
    void saving.finally(() => (isSettled = true)).catch(() => undefined);
    while (!isSettled) await clock.advance(1_000);
    assert.equal((await saving).kind, "saved");
    assert.ok(clock.monotonic() >= backMs);
  });

  test("reports a backup that was replaced meanwhile, whether a member responds or not", async () => {
    store.objects.set("etcd", Buffer.from("another one"));
    const snapshot = { path: "backups/etcd", sizeBytes: 10, sha256: "ab" };
    const saving = { cluster, backup: { snapshot, modifiedAtMs: undefined } };
    const clock = new FakeClock();
    const results = [
      await saveSurvivor(asked(1), saving, aRunContext()),
      await inNoTime(clock, saveSurvivor(asked(0, { clock }), saving, aRunContext())),
    ];
    assert.deepEqual(
      results.map((result) => "change" in result && result.change?.reason),
      ["Replaced", "Replaced"],
    );
  });
});
