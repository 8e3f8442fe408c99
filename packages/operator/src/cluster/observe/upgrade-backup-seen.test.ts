import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { anObservation, healthy } from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import { upgradeBackupSeen } from "./upgrade-backup-seen.ts";

const NAMED = { version: "3.6.16", upgrade: { backupName: "nightly" } };
const nightly = backup("nightly");

function backup(name: string, more: object = {}): Stored<EtcdBackup> {
  return { metadata: { name }, spec: { storageType: "S3" }, ...more } as unknown as Stored<EtcdBackup>;
}

/** A cluster whose member runs 3.5 and is to become what the spec says. */
function aCluster(spec: object) {
  const { cluster, pods } = answering({ version: "3.5.30" }, anObservation({ spec, members: [healthy("a")] }));
  const { name, uid, generation } = cluster.metadata;
  const ownName = `${name}-before-3.6-${generation}`;
  const ownerReferences = [{ apiVersion: "v1", kind: "EtcdCluster", name, uid, controller: true }];
  return {
    ownName,
    own: (status?: object) => backup(ownName, { metadata: { name: ownName, ownerReferences }, status }),
    seen: (...backups: readonly Stored<EtcdBackup>[]) =>
      upgradeBackupSeen(cluster, pods, {
        backup: async (wanted) => backups.find(({ metadata }) => metadata.name === wanted),
      }),
  };
}

test("nothing is read where the spec names no backup, or no member is about to leave its minor", async () => {
  assert.equal(await aCluster({ version: "3.6.16" }).seen(nightly), undefined);
  assert.equal(await aCluster({ ...NAMED, version: "3.5.31" }).seen(nightly), undefined);
});

test("one that the spec names and that does not exist is reported", async () => {
  assert.deepEqual(await aCluster(NAMED).seen(), { kind: "no-template", name: "nightly" });
});

test("one that has to be made comes with the one that it is made after", async () => {
  const { seen, ownName: name } = aCluster(NAMED);
  assert.deepEqual(await seen(nightly), { kind: "missing", name, template: nightly });
});

test("runs until its status says what became of it", async () => {
  const { seen, own, ownName: name } = aCluster(NAMED);
  assert.deepEqual(await seen(nightly, own()), { kind: "running", name });
  assert.deepEqual(await seen(nightly, own({ succeeded: true })), { kind: "succeeded", name });
  const failed = own({ succeeded: false, Reason: "no such bucket" });
  assert.deepEqual(await seen(nightly, failed), { kind: "failed", name, why: "no such bucket" });
});

test("a foreign one of the same name proves nothing", async () => {
  const { seen, ownName: name } = aCluster(NAMED);
  const foreign = backup(name, { status: { succeeded: true } });
  assert.deepEqual(await seen(foreign), { kind: "failed", name, why: "it was not created for this cluster" });
});

describe("a backup that cannot be read", () => {
  const failing = (code: "forbidden" | "unavailable" | "canceled") => {
    const { cluster, pods } = answering({ version: "3.5.30" }, anObservation({ spec: NAMED, members: [healthy("a")] }));
    const error = new KubernetesError(code, { operation: "GET nightly", message: "no" });
    return upgradeBackupSeen(cluster, pods, { backup: () => Promise.reject(error) });
  };

  test("because the operator may not counts as failed: nothing but the upgrade depends on it", async () => {
    const seen = await failing("forbidden");
    assert.ok(seen?.kind === "failed");
    assert.equal(seen.why, "GET nightly failed: no");
  });

  // It used to fail the pass, and with it the status of a cluster that lost its majority meanwhile.
  test("just now keeps members in their minor, and nothing else from being seen", async () => {
    assert.equal((await failing("unavailable"))?.kind, "failed");
    await assert.rejects(failing("canceled"), { code: "canceled" });
  });
});
