import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runCommand, runCommandOrThrow } from "@etcd-operator/testing/process/run-command.ts";
import type { BackupPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { volumePlace } from "@etcd-operator/testing/scenario/backup/volume-place.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import { volumeFolder } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const FILLING_MIB = 6;
/** Room for one. */
const SMALL = "size=14m";
const LARGE = "size=200m";

const scenario = clusterScenario();
let place: BackupPlace;
let backups: BackupsUnderTest;
let cluster: ClusterUnderTest;
let folder: string | undefined;

describe("a volume that is full", { timeout: 200_000 }, () => {
  beforeAll(async () => {
    place = await volumePlace();
    backups = await BackupsUnderTest.at(scenario, place);
    cluster = await scenario.create("source", { size: 1 });
    await cluster.settled(1);
    await fill(cluster, FILLING_MIB);
  });
  afterAll(async () => {
    if (folder) await runCommand("umount", ["--lazy", folder]);
    await place?.stop();
  });

  test("keeps nothing half-written, says what to do, and takes the next backup when there is room", async () => {
    // Not so much that a snapshot would need twice the room.
    const witness = await cluster.witness({ writers: 1, paceMs: 200 });
    // Also makes the volume.
    await backups.taken("first", "source");
    folder = await volumeFolder(scenario, { metadata: { namespace: "default", name: "backups" } });
    await runCommandOrThrow("mount", ["-t", "tmpfs", "-o", SMALL, "small", folder]);
    await backups.create("full", "source", { policy: { backupIntervalInSecond: 5 } });
    const { lastBackup } = await backups.succeeds("full");
    const { Reason = "", conditions } = await backups.becomes(
      "full",
      "to fail",
      ({ succeeded }) => succeeded === false,
    );
    process.stdout.write(`  full: ${Reason}\n`);
    assert.match(Reason, /no space is left on the volume: enlarge it, or keep fewer backups/);
    assert.equal(conditions?.find(({ type }) => type === "Succeeded")?.reason, "NeedsAttention");
    const { path = "" } = lastBackup ?? {};
    assert.deepEqual(await filesIn(folder), [path, `${path}.metadata.json`]);

    await runCommandOrThrow("mount", ["-o", `remount,${LARGE}`, folder]);
    const after = await backups.succeeds("full");
    assert.notEqual(after.lastBackup?.path, path);
    assert.equal(after.Reason, undefined);
    await cluster.verify(witness);
  });
});

async function filesIn(where: string): Promise<readonly string[]> {
  const found = await readdir(where, { recursive: true, withFileTypes: true });
  const files = found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  // What is not allowed in a file's name is written otherwise.
  return files.map((file) => decodeURIComponent(file.slice(where.length + 1))).sort();
}
