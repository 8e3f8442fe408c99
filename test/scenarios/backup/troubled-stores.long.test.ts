import assert from "node:assert/strict";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { aSecret } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { type FaultyS3Place, faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { isTold, recovers } from "@etcd-operator/testing/scenario/backup/needs-attention.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const OFTEN = { backupIntervalInSecond: 5 };
const WRONG_KEY = "canary-of-a-wrong-key";

const obstacle = await obstacleTo(versitygw);
const scenario = clusterScenario();
let place: FaultyS3Place;
let backups: BackupsUnderTest;

describe.skipIf(obstacle)(titleWith("a store that an administrator has to fix", obstacle), { timeout: 200_000 }, () => {
  beforeAll(async () => {
    place = await faultyS3Place();
    backups = await BackupsUnderTest.at(scenario, place);
    const cluster = await scenario.create("source", { size: 1 });
    await cluster.settled(1);
    // These wait the longest, for nothing else is due.
    await scenario.local.apply(aSecret("once-renewed", profile(WRONG_KEY)));
    await backups.create("once-denied", "source", { spec: s3At("backups/once-denied", "once-renewed") });
    await backups.create("once-nowhere", "source", { spec: s3At("not-yet/once-nowhere", "aws") });
  });
  afterAll(async () => {
    await place?.stop();
  });

  test("does not accept the credentials, until the Secret has others", async () => {
    await scenario.local.apply(aSecret("renewed", profile(WRONG_KEY)));
    await backups.create("denied", "source", { policy: OFTEN, spec: s3At("backups/denied", "renewed") });
    const { Reason } = await backups.becomes("denied", "to say why", isTold(/renew the keys in the Secret/));
    assert.ok(!Reason?.includes(WRONG_KEY));
    const mend = () => scenario.local.apply(aSecret("renewed", profile(place.canaries[0] ?? "")));
    await recovers(backups, "denied", {
      says: /^stat s3 '[^']+': the server does not accept the credentials: correct or renew the keys in the Secret/,
      mend,
    });
  });

  test("lacks its Secret, or what should be in it", async () => {
    await backups.create("no-secret", "source", { policy: OFTEN, spec: s3At("backups/no-secret", "later") });
    const empty = () => scenario.local.apply(aSecret("later", { other: "things" }));
    const says = /Secret 'default\/later' of s3\.awsSecret does not exist: create it, or correct s3\.awsSecret/;
    await backups.becomes("no-secret", "to say so", isTold(says));
    await empty();
    await recovers(backups, "no-secret", {
      says: /Secret 'default\/later' of s3\.awsSecret has no 'credentials': add it/,
      mend: () => scenario.local.apply(aSecret("later", profile(place.canaries[0] ?? ""))),
    });
  });

  test("has no such bucket, until it is created", async () => {
    await backups.create("nowhere", "source", { policy: OFTEN, spec: s3At("not-yet/nowhere", "aws") });
    const says = /'not-yet\/nowhere': there is no such bucket: create it, or correct its name/;
    await backups.becomes("once-nowhere", "to say so, too", isTold(/no such bucket/));
    await recovers(backups, "nowhere", { says, mend: () => place.makeBucket("not-yet") });
  });

  test("is checked again for backups that are taken once, too", async () => {
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
