import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { ObjectStore } from "../../../src/objectstore/object-store.ts";
import { randomOf } from "../../model/random.ts";
import { obstacleToS3Server } from "../../support/objectstore/s3-server-binary.ts";
import { type FaultyPlace, faultyS3Place } from "../../support/scenario/backup-places.ts";
import { BackupsUnderTest } from "../../support/scenario/backups-under-test.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";
import { fill } from "../../support/scenario/fill.ts";
import { storedBackups } from "../../support/scenario/stored-backups.ts";

const SEED = 20_261_115;
const POINTS = 20;
const MIB = 2 ** 20;
/** As the store cuts it. */
const PART_BYTES = 8 * MIB;
const FILLING_MIB = 20;
/** After so many failures in a row the store gives up, and the backup is begun again later. */
const TOO_OFTEN = 5;

interface Cut {
  readonly name: string;
  readonly what: "body" | "answer";
  readonly only: RegExp;
  readonly afterBytes: number;
  readonly times: number;
}

const obstacle = await obstacleToS3Server();
const scenario = clusterScenario();
let place: FaultyPlace;
let backups: BackupsUnderTest;
let store: ObjectStore;

describe.skipIf(obstacle !== undefined)("an upload that is cut", { timeout: 500_000 }, () => {
  beforeAll(async () => {
    place = await faultyS3Place();
    store = await place.open();
    backups = await BackupsUnderTest.at(scenario, place);
  });
  afterAll(async () => {
    await store?.close();
    await place?.stop();
  });

  test(`at ${POINTS} points succeeds in the end, and is never seen half-written`, async () => {
    const cluster = await scenario.create("source");
    await cluster.settled(3);
    await fill(cluster, FILLING_MIB);
    const witness = await cluster.witness();
    for (const cut of cuts()) await survives(cut);
    assert.equal((await storedBackups(store, "cut-")).length, POINTS);
    await cluster.verify(witness);
  });
});

/** Anywhere in the bytes of the object, mostly; now and then it is an answer that gets lost. Every fifth breaks too often for one attempt. */
function cuts(): readonly Cut[] {
  const random = randomOf(SEED);
  return Array.from({ length: POINTS }, (_, index) => {
    const name = `cut-${index}`;
    const at = random.int(FILLING_MIB * MIB);
    const part = `PUT .*/${name}\\?.*partNumber=${1 + Math.floor(at / PART_BYTES)}&`;
    const times = index % 5 === 4 ? TOO_OFTEN : 1;
    if (random.chance(0.7)) {
      return { name, what: "body", only: new RegExp(part), afterBytes: at % PART_BYTES, times };
    }
    const begin = `POST .*/${name}\\?uploads`;
    const end = `POST .*/${name}\\?uploadId`;
    const metadata = `PUT .*/${name}\\.metadata\\.json`;
    const only = new RegExp(random.pick([part, begin, end, metadata]) ?? part);
    return { name, what: "answer", only, afterBytes: 0, times };
  });
}

async function survives({ name, what, only, afterBytes, times }: Cut): Promise<void> {
  const started = performance.now();
  place.faults.clear();
  if (what === "body") place.faults.cutRequests({ afterBytes, times, only });
  else place.faults.cutResponses({ afterBytes, times, only });
  const seen = watchSizes(name);
  await backups.create(name, "source");
  const { lastBackup } = await backups.succeeds(name);
  const sizes = await seen.stop();
  const requests = place.faults.requests.filter((request) => only.test(request)).length;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const where = `${what} of ${only.source}${what === "body" ? ` after ${afterBytes} bytes` : ""}, ${times} times`;
  process.stdout.write(`  ${name}: ${where}: verified after ${seconds} s\n`);
  assert.ok(requests > times, `the cut was met: ${requests} requests, ${times} cuts`);
  assert.deepEqual(
    sizes.filter((size) => size !== lastBackup?.sizeBytes),
    [],
    "only the whole object is ever seen",
  );
  assert.deepEqual(await place.unfinishedUploads(), [], "nothing is left of uploads that broke");
}

/** What others see under a key meanwhile, past the proxy. */
function watchSizes(name: string) {
  const sizes = new Set<number>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      for await (const { key, sizeBytes } of store.list(name)) {
        if (key === name) sizes.add(sizeBytes);
      }
      await pause(50);
    }
  })();
  return {
    async stop(): Promise<readonly number[]> {
      isOver = true;
      await looking;
      return [...sizes];
    },
  };
}
