import assert from "node:assert/strict";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { writeKeys } from "../../../test/support/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "../../../test/support/etcd-process.ts";
import { FakeClock } from "../../../test/support/kubernetes/fake-clock.ts";
import { MemoryStore } from "../../../test/support/objectstore/memory-store.ts";
import { aRestoreSeen } from "../../../test/support/restore/a-restore-seen.ts";
import { connectEtcd } from "../../etcd/etcd-client.ts";
import { systemClock } from "../../kubernetes/clock.ts";
import { ObjectStoreError } from "../../objectstore/object-store-error.ts";
import { createLogger } from "../../observability/logger.ts";
import type { RunProgress, RunResult } from "../observation.ts";
import { saveSurvivor } from "./save-survivor.ts";
import { sendSnapshot } from "./send-snapshot.ts";
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
function aWorker(podCount: number, more: Partial<Worker> = {}): Worker {
  const owner = { uid: cluster.metadata.uid };
  const pod = {
    metadata: { name: "example-0", ownerReferences: [owner] },
    status: { phase: "Running", podIP: "10.0.0.1" },
  };
  const client = {
    get: async () => ({ ...cluster, status: {}, data: { "tls.crt": "YQ==", token: "Yg==" } }),
    list: async () => ({ items: Array(podCount).fill(pod) }),
  };
  return {
    restore: seen.restore,
    client: client as unknown as Worker["client"],
    clock: systemClock,
    random: () => 0.5,
    fence: () => undefined,
    logger: createLogger({ level: "silent" }),
    open: async () => ({ store, key: "etcd", pathOf: (key) => `backups/${key}`, close: async () => undefined }),
    push: async () => undefined,
    connect: (_, options) => connectEtcd({ address: address(etcd) }, options),
    ...more,
  };
}

function context() {
  const reports: RunProgress[] = [];
  return { signal: new AbortController().signal, report: (progress: RunProgress) => reports.push(progress), reports };
}

/** Time passes as fast as it can. */
async function inNoTime(clock: FakeClock, run: Promise<RunResult>): Promise<RunResult | Error> {
  let result: RunResult | Error | undefined;
  run.then(
    (value) => (result = value),
    (error: Error) => (result = error),
  );
  for (let step = 0; step < 200 && result === undefined; step += 1) await clock.advance(1_000);
  return result ?? assert.fail("it never ended");
}

describe("saving what answers", () => {
  test("stores a verified snapshot with its metadata, named after the restore", async () => {
    const result = await saveSurvivor(aWorker(1), cluster, context());
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
    const result = await saveSurvivor(aWorker(1, { restore }), cluster, context());
    assert.ok(result.kind === "saved");
    assert.match(result.snapshot.path, /^backups\/etcd_safety_0a1b2c3d_3_2/);
  });

  test("does not overwrite what a process saved that is gone, but removes what it left unverified", async () => {
    store.objects.set("etcd_safety_0a1b2c3d_2020-01-01-00:00:00", Buffer.from("half of it"));
    store.objects.set("etcd_safety_99999999", Buffer.from("of another restore"));
    const first = await saveSurvivor(aWorker(1), cluster, context());
    assert.ok(first.kind === "saved");
    const key = first.snapshot.path.slice("backups/".length);
    assert.deepEqual([...store.objects.keys()].sort(), [key, `${key}.metadata.json`, "etcd_safety_99999999"]);
    const clock = { ...systemClock, now: () => Date.now() + 60_000 };
    await saveSurvivor(aWorker(1, { clock }), cluster, context());
    assert.equal(store.objects.size, 5);
  });

  test("goes on without when nobody is there, after asking more than once", async () => {
    const clock = new FakeClock();
    const told = context();
    const result = await inNoTime(clock, saveSurvivor(aWorker(0, { clock }), cluster, told));
    assert.ok("kind" in result && result.kind === "nobody");
    assert.match(result.why, /has no running member to ask/);
    assert.equal(told.reports.filter(({ trouble }) => trouble !== undefined).length, 3);
    assert.ok(clock.monotonic() <= 10_000, "whoever lost all does not wait for long");
  });

  test("does not go on when somebody answers and cannot be saved", async () => {
    store.beforeCall = (call) => {
      if (call.startsWith("put")) throw new ObjectStoreError("full", { operation: call, message: "no room" });
    };
    const failed = await saveSurvivor(aWorker(1), cluster, context()).catch((error: unknown) => error);
    assert.ok(failed instanceof ObjectStoreError);
    assert.equal(store.objects.size, 0);
  });
});

describe("bringing the snapshot", () => {
  const seed = { name: "example-abc", uid: "u", ip: "10.0.0.9" } as never;

  async function sent(path: string): Promise<string> {
    store.objects.set("etcd", Buffer.from("the backup"));
    store.objects.set("etcd_safety_0a1b2c3d_2030-01-01-11:59:00", Buffer.from("what was saved"));
    const { restore } = aRestoreSeen({ status: { snapshot: { path, sizeBytes: 10, sha256: "ab" } } });
    let text = "";
    const push: Worker["push"] = async ({ address: to }, source) => {
      assert.equal(to, "10.0.0.9:2382");
      for await (const chunk of source) text += Buffer.from(chunk).toString();
    };
    assert.deepEqual(await sendSnapshot(aWorker(0, { restore, push }), seed, context()), { kind: "pushed" });
    return text;
  }

  test("takes the backup, or what was saved, as is on record", async () => {
    assert.equal(await sent("backups/etcd"), "the backup");
    assert.equal(await sent("backups/etcd_safety_0a1b2c3d_2030-01-01-11:59:00"), "what was saved");
  });

  test("begins anew when the pod cannot be reached, reading the store anew", async () => {
    store.objects.set("etcd", Buffer.alloc(300_000));
    const clock = new FakeClock();
    let attempts = 0;
    const push: Worker["push"] = async (_, source) => {
      attempts += 1;
      for await (const _chunk of source) if (attempts < 3) break;
      if (attempts < 3) throw new ObjectStoreError("unavailable", { operation: "send", message: "refused" });
    };
    const run = sendSnapshot(aWorker(0, { clock, push }), seed, context());
    assert.deepEqual(await inNoTime(clock, run), { kind: "pushed" });
    assert.equal(store.calls.filter((call) => call === "get etcd").length, 3);
  });
});
