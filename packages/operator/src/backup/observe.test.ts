import assert from "node:assert/strict";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { anEtcdBackup, aRun, type BackupGiven, NOW_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import { createObserver } from "./observe.ts";

const { signal } = new AbortController();
const run = aRun();

interface World {
  readonly cached?: BackupGiven | undefined;
  readonly live?: BackupGiven | undefined;
  readonly covers?: boolean;
}

function observe({ cached, live, covers = true }: World, mustReadLive = false) {
  const get = async (): Promise<Stored<EtcdBackup>> => {
    if (live) return anEtcdBackup(live);
    throw new KubernetesError("not-found", { operation: "GET", message: "x" });
  };
  const observer = createObserver({
    client: { get } as unknown as Pick<KubeClient, "get">,
    backups: { get: () => cached && anEtcdBackup(cached) },
    scope: { covers: () => covers },
    runs: { seen: (key) => (key === "prod/nightly" ? run : undefined) },
    drills: { seen: () => undefined },
    clock: { now: () => NOW_MS, monotonic: () => 0, after: () => () => undefined },
  });
  return observer("prod/nightly", { mustReadLive }, signal);
}

describe("what is seen of an EtcdBackup", () => {
  test("is the object, the time, and what this process does for it", async () => {
    const seen = await observe({ cached: {} });
    assert.deepEqual([seen?.nowMs, seen?.problems, seen?.run], [NOW_MS, [], run]);
    assert.equal(seen?.backup.metadata.name, "nightly");
  });

  test("is read live when the caches are behind", async () => {
    const world = { cached: { metadata: { resourceVersion: "1" } }, live: { metadata: { resourceVersion: "2" } } };
    assert.equal((await observe(world))?.backup.metadata.resourceVersion, "1");
    assert.equal((await observe(world, true))?.backup.metadata.resourceVersion, "2");
  });

  test("is nothing when it is gone, or not ours", async () => {
    assert.equal(await observe({}), undefined);
    assert.equal(await observe({ cached: {} }, true), undefined);
    assert.equal(await observe({ cached: {}, covers: false }), undefined);
  });

  test("says what is wrong with the spec", async () => {
    const seen = await observe({ cached: { spec: { storageType: "Tape" } } });
    assert.match(seen?.problems.join() ?? "", /spec.storageType: "Tape": not supported/);
  });

  test("leaves out unreadable values of another client in the status", async () => {
    const status = { succeeded: "yes", etcdRevision: 7 } as unknown as EtcdBackup["status"];
    const seen = await observe({ cached: { status } });
    assert.deepEqual([seen?.problems, seen?.backup.status], [[], { etcdRevision: 7 }]);
  });
});
