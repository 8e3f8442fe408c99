import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import {
  metadataKey,
  metadataText,
  parseMetadata,
} from "@etcd-operator/operator/transfer/snapshot/snapshot-metadata.ts";
import type { BackupPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { cloudPlace } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { fill } from "@etcd-operator/testing/scenario/data/fill.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

/** A drill with the next minute, and none after it for a day. */
const proved = () => {
  const next = new Date(Date.now() + 62_000);
  return { backupIntervalInSecond: 3_600, drillSchedule: `${next.getUTCMinutes()} ${next.getUTCHours()} * * *` };
};

interface Damage {
  readonly says: RegExp;
  readonly bytes?: (whole: Buffer) => Buffer | undefined;
  readonly metadata?: (text: string) => string;
}

/** What may become of a backup after it was verified. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  flipped: {
    bytes: (whole) => {
      whole[whole.length >> 1] = ~(whole[whole.length >> 1] ?? 0);
      return whole;
    },
    says: /^the backup is damaged: .*its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}/,
  },
  truncated: { bytes: (whole) => whole.subarray(0, whole.length - 4_096), says: /^the backup is damaged: / },
  removed: { bytes: () => undefined, says: /^the backup does not exist any more: .*there is no such blob/ },
  undescribed: {
    metadata: () => "",
    says: /^the backup does not exist any more: read 'backups\/undescribed_v.*': it does not exist in .* any more/,
  },
  "of-other-keys": {
    metadata: (text) => {
      const noted = parseMetadata(text);
      assert.ok(noted?.keys);
      return metadataText({ ...noted, keys: noted.keys + 1 });
    },
    says: /it has \d+ keys, but \d+ were recorded/,
  },
};

const scenario = clusterScenario();
let place: BackupPlace;
let store: ObjectStore;
let backups: BackupsUnderTest;

describe("a backup that was damaged after it was verified", { timeout: 300_000 }, () => {
  beforeAll(async () => {
    place = await cloudPlace("azure");
    store = (await place.open?.()) as ObjectStore;
    backups = await BackupsUnderTest.at(scenario, place);
    const cluster = await scenario.create("source", { size: 1 });
    await cluster.settled(1);
    await fill(cluster, 5);
  });
  afterAll(async () => {
    await store?.close();
    await place?.stop();
  });

  test("fails its next drill, which says what is wrong with it; one beside it is proved", async () => {
    await backups.create("sound", "source", { policy: proved() });
    for (const [name, damage] of Object.entries(DAMAGES)) {
      // The operator does not check before it is damaged.
      await backups.create(name, "source", { policy: { backupIntervalInSecond: 3_600 } });
      const { lastBackup } = await backups.succeeds(name);
      await inflict(damage, place.keyAt(lastBackup?.path ?? ""));
      await backups.edit(name, { backupPolicy: proved() });
    }
    await Promise.all([isProved("sound"), ...Object.entries(DAMAGES).map(([name, damage]) => isFound(name, damage))]);
  });

  test("is proved again when it was brought back", async () => {
    const key = place.keyAt((await backups.get("flipped")).status?.lastBackup?.path ?? "");
    await inflict(DAMAGES.flipped as Damage, key);
    await backups.edit("flipped", { backupPolicy: proved() });
    await isProved("flipped");
  });
});

async function inflict({ bytes, metadata }: Damage, key: string): Promise<void> {
  if (bytes) await change(key, bytes);
  if (metadata) await change(metadataKey(key), (text) => Buffer.from(metadata(text.toString())));
}

async function change(key: string, into: (bytes: Buffer) => Buffer | undefined): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.get(key)) chunks.push(chunk);
  const changed = into(Buffer.concat(chunks));
  if (changed) await store.put(key, only(changed));
  else await store.delete(key);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function isProved(name: string): Promise<void> {
  const { drill } = await backups.becomes(name, "to be proved", (status) => status.drill?.succeeded);
  const { revision, keys, recoveryTimeSeconds, durationSeconds } = drill ?? {};
  process.stdout.write(
    `  ${name}: proved, revision ${revision}, ${keys} keys, served after ${recoveryTimeSeconds} s, over after ${durationSeconds} s\n`,
  );
}

async function isFound(name: string, { says }: Damage): Promise<void> {
  const { drill, succeeded } = await backups.becomes(
    name,
    "to fail its drill",
    (status) => status.drill?.succeeded === false,
  );
  process.stdout.write(`  ${name}: ${drill?.reason}\n`);
  assert.match(drill?.reason ?? "", says);
  assert.equal(succeeded, true, "the backup itself had succeeded");
  const isTold = async () => {
    const { items } = await scenario.client.list(resources.events, { namespace: "default" });
    return items.find(({ involvedObject, reason }) => involvedObject.name === name && reason === "DrillFailed");
  };
  assert.equal((await until(isTold, { what: `an Event of ${name}` })).type, "Warning");
}
