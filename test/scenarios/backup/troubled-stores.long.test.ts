import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { EtcdBackup } from "../../../src/api/etcd-backup.ts";
import { startGcsFake } from "../../support/objectstore/gcs-fake.ts";
import { obstacleToS3Server } from "../../support/objectstore/s3-server-binary.ts";
import { aSecret, type FaultyPlace, faultyS3Place } from "../../support/scenario/backup-places.ts";
import { BackupsUnderTest } from "../../support/scenario/backups-under-test.ts";
import { clusterScenario } from "../../support/scenario/cluster-scenario.ts";

type Status = NonNullable<EtcdBackup["status"]>;
type Fake = Awaited<ReturnType<typeof startGcsFake>>;

const OFTEN = { backupIntervalInSecond: 5 };
const ALWAYS = Number.POSITIVE_INFINITY;
const WRONG_KEY = "canary-of-a-wrong-key";

const obstacle = await obstacleToS3Server();
const scenario = clusterScenario({ operator: false });
let place: FaultyPlace;
let google: Fake;
let backups: BackupsUnderTest;

const isTold = (text: RegExp) => (status: Status) => status.succeeded === false && text.test(status.Reason ?? "");

/** Waits until it has told what is wrong, mends it, and waits until there is a backup; nobody touches the EtcdBackup. */
async function recovers(name: string, { says, mend }: { says: RegExp; mend: () => unknown }): Promise<Status> {
  const told = await backups.becomes(name, `to say ${says}`, isTold(says));
  process.stdout.write(`  ${name}: ${told.Reason}\n`);
  assert.equal(told.lastError, told.Reason);
  assert.equal(told.conditions?.find(({ type }) => type === "Succeeded")?.reason, "NeedsAttention");
  const { generation } = (await backups.get(name)).metadata;
  const started = performance.now();
  await mend();
  const status = await backups.succeeds(name);
  process.stdout.write(`  ${name}: recovered after ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  assert.equal((await backups.get(name)).metadata.generation, generation);
  assert.equal(status.Reason, undefined);
  return status;
}

describe.skipIf(obstacle !== undefined)("a store that somebody has to mend", { timeout: 200_000 }, () => {
  beforeAll(async () => {
    place = await faultyS3Place();
    google = await startGcsFake();
    backups = await BackupsUnderTest.at(scenario, place);
    await scenario.startOperator({ env: { STORAGE_EMULATOR_HOST: google.url } });
    const cluster = await scenario.create("source", { size: 1 });
    await cluster.settled(1);
    // These wait the longest, for nothing else is due.
    await scenario.local.apply(aSecret("once-renewed", profile(WRONG_KEY)));
    await backups.create("once-denied", "source", { spec: s3At("backups/once-denied", "once-renewed") });
    await backups.create("once-nowhere", "source", { spec: s3At("not-yet/once-nowhere", "aws") });
  });
  afterAll(async () => {
    await google?.stop();
    await place?.stop();
  });

  test("is full: it says so and what to do, and takes the next one when there is room", async () => {
    const full = { status: 507, headers: { "content-type": "application/xml" }, body: errorXml("QuotaExceeded") };
    place.faults.answer({ ...full, times: ALWAYS, only: /^PUT .*\/full_v/ });
    await backups.create("full", "source", { policy: OFTEN });
    const says =
      /put s3 'backups\/full_v.*': no room is left, or a quota is used up: remove something, or ask for more/;
    await recovers("full", { says, mend: () => place.faults.clear() });
    assert.deepEqual(await place.unfinishedUploads(), []);
  });

  test("does not accept the credentials, until the Secret has others", async () => {
    await scenario.local.apply(aSecret("renewed", profile(WRONG_KEY)));
    await backups.create("denied", "source", { policy: OFTEN, spec: s3At("backups/denied", "renewed") });
    const { Reason } = await backups.becomes("denied", "to say why", isTold(/check the keys in the Secret/));
    assert.ok(!Reason?.includes(WRONG_KEY));
    const mend = () => scenario.local.apply(aSecret("renewed", profile(place.canaries[0] ?? "")));
    await recovers("denied", { says: /does not let us do it: check the keys in the Secret/, mend });
  });

  test("no longer accepts a token that has expired, until the Secret has a new one", async () => {
    const renew = () => scenario.local.apply(aSecret("token", { "access-token": google.oauth.issue("the scenario") }));
    await renew();
    const spec = { s3: undefined, storageType: "GCS", gcs: { path: "backups/expired", gcpSecret: "token" } } as const;
    await backups.create("expired", "source", { policy: OFTEN, spec });
    const before = await backups.succeeds("expired");
    google.oauth.revokeAll();
    const after = await recovers("expired", { says: /access token in the Secret/, mend: renew });
    assert.notEqual(after.lastBackup?.path, before.lastBackup?.path);
  });

  test("lacks its Secret, or what should be in it", async () => {
    await backups.create("no-secret", "source", { policy: OFTEN, spec: s3At("backups/no-secret", "later") });
    const empty = () => scenario.local.apply(aSecret("later", { other: "things" }));
    const says = /Secret 'default\/later' of s3\.awsSecret does not exist: create it, or correct s3\.awsSecret/;
    await backups.becomes("no-secret", "to say so", isTold(says));
    await empty();
    await recovers("no-secret", {
      says: /Secret 'default\/later' of s3\.awsSecret has no 'credentials': add it/,
      mend: () => scenario.local.apply(aSecret("later", profile(place.canaries[0] ?? ""))),
    });
  });

  test("has no such bucket, until somebody makes it", async () => {
    await backups.create("nowhere", "source", { policy: OFTEN, spec: s3At("not-yet/nowhere", "aws") });
    const says = /'not-yet\/nowhere': there is no such bucket: make it, or correct its name/;
    await backups.becomes("once-nowhere", "to say so, too", isTold(/no such bucket/));
    await recovers("nowhere", { says, mend: () => place.makeBucket("not-yet") });
  });

  test("is looked at again for backups that are taken once, too", async () => {
    await scenario.local.apply(aSecret("once-renewed", profile(place.canaries[0] ?? "")));
    for (const name of ["once-denied", "once-nowhere"]) {
      assert.equal((await backups.succeeds(name)).attempts, undefined);
    }
  });
});

function s3At(path: string, awsSecret: string): Pick<EtcdBackup["spec"], "s3"> {
  return { s3: { ...place.block("").s3, path, awsSecret } };
}

function profile(secretAccessKey: string) {
  return {
    credentials: `[default]\naws_access_key_id = TESTACCESSKEYID\naws_secret_access_key = ${secretAccessKey}\n`,
    config: "[default]\nregion = eu-test-1\n",
  };
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>as scripted</Message></Error>`;
}
