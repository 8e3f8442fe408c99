import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { storedBackups } from "@etcd-operator/testing/scenario/backup/stored-backups.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { nothingIsLeft } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { randomOf } from "../../model/random.ts";

const SEED = Number(process.env.SEED ?? 20_260_601);
const KILLS = 20;
/**
 * About as long as a backup takes: with a slow store most are cut while bytes pass, with a fast one before and after.
 */
const PACES = [
  { bytesPerSecond: 3_000_000, latestMs: 6_000 },
  { bytesPerSecond: Number.POSITIVE_INFINITY, latestMs: 2_500 },
] as const;
/** More than goes in one part. */
const VALUES = 9;
const VALUE = "x".repeat(1_000_000);

const scenario = clusterScenario({ operator: false });
let place: FaultyPlace;
beforeAll(async () => {
  place = await faultyS3Place();
});
afterAll(() => place?.stop());

/** What the store was asked last, without what differs each time. */
function lastAsked(): string {
  const last = place.faults.requests.at(-1) ?? "none";
  return last.replace(/killed-\d+/, "*").replace(/uploadId=[^&]*/, "uploadId");
}

async function killed(operator: OperatorProcess): Promise<void> {
  await operator.kill();
  await operator.start();
}

describe(`an operator that is killed ${KILLS} times while it takes backups (seed ${SEED})`, {
  timeout: 400_000,
}, () => {
  test("takes them all, and leaves nothing half done", async () => {
    const random = randomOf(SEED);
    const operator = await scenario.startOperator();
    const cluster = await scenario.create("killed", { size: 1 });
    await cluster.settled(1);
    for (let key = 0; key < VALUES; key += 1) await cluster.put(`key/${key}`, VALUE);
    const witness = await cluster.witness();
    const backups = await BackupsUnderTest.at(scenario, place);
    const names: string[] = [];
    const interrupted: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const current = names.at(-1);
      const { status } = current ? await backups.get(current) : { status: { succeeded: true } };
      if (status?.succeeded) {
        names.push(`killed-${names.length}`);
        await backups.create(names.at(-1) ?? "", "killed");
      }
      const { bytesPerSecond, latestMs } = PACES[kill % 2] ?? PACES[0];
      place.faults.slow(bytesPerSecond);
      await pause(random.int(latestMs));
      interrupted.push(lastAsked());
      await killed(operator);
    }
    place.faults.slow(Number.POSITIVE_INFINITY);
    for (const name of names) await backups.succeeds(name);
    process.stdout.write(
      `  ${names.length} backups; the last requests to the store: ${[...new Set(interrupted)].join("; ")}\n`,
    );
    await cluster.verify(witness);
    await nothingIsLeft(scenario, place);
    const store = await place.open();
    const found = await storedBackups(store, "");
    assert.deepEqual(found.map(({ key }) => key).sort(), [...names].sort());
    await store.close();
    await operator.stop();
  });
});
