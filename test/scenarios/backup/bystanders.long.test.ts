import { freePorts } from "@etcd-operator/local-kubernetes";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import { obstacleTo, versitygw } from "@etcd-operator/testing/objectstore/go-program.ts";
import { aClaim, type FaultyPlace } from "@etcd-operator/testing/scenario/backup/backup-places.ts";
import { BackupsUnderTest } from "@etcd-operator/testing/scenario/backup/backups-under-test.ts";
import { faultyS3Place } from "@etcd-operator/testing/scenario/backup/cloud-places.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

type Spec = Partial<EtcdBackup["spec"]>;
type Status = NonNullable<EtcdBackup["status"]>;

const ALWAYS = Number.POSITIVE_INFINITY;
const OFTEN = { backupIntervalInSecond: 5 };
/** More than are taken at the same time. */
const OF_EACH = [1, 2, 3];
/** Far less than the patience with a store that says nothing, or with a pod that cannot start. */
const AT_MOST_MS = 60_000;

const obstacle = await obstacleTo(versitygw);
const scenario = clusterScenario();
let place: FaultyPlace;
let backups: BackupsUnderTest;

describe.skipIf(obstacle)(titleWith("backups that cannot be taken", obstacle), { timeout: 300_000 }, () => {
  beforeAll(async () => {
    place = await faultyS3Place();
    backups = await BackupsUnderTest.at(scenario, place);
    const cluster = await scenario.create("source", { size: 1 });
    await cluster.settled(1);
  });
  afterAll(() => place?.stop());

  test("do not keep others from being taken", async () => {
    for (const [name, spec] of Object.entries(await bad())) {
      for (const which of OF_EACH) await backups.create(`${name}-${which}`, "source", { spec, policy: OFTEN });
    }
    const started = performance.now();
    await backups.create("good", "source", { policy: OFTEN });
    const { lastBackup } = await backups.becomes("good", "to succeed", ({ succeeded }) => succeeded, AT_MOST_MS);
    process.stdout.write(`  good: verified after ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    const isAnother = ({ lastBackup: now }: Status) => now?.path !== lastBackup?.path;
    await backups.becomes("good", "to be taken again", isAnother, AT_MOST_MS);
  });

  test("report each its problem", async () => {
    for (const [name, says] of Object.entries(COMPLAINTS)) {
      const { lastError } = await backups.becomes(`${name}-1`, `to say ${says}`, ({ lastError: said = "" }) =>
        says.test(said),
      );
      process.stdout.write(`  ${name}: ${lastError}\n`);
    }
  });
});

const COMPLAINTS: Readonly<Record<string, RegExp>> = {
  "no-secret": /Secret 'default\/missing' of s3\.awsSecret does not exist/,
  "no-cluster": /EtcdCluster 'default\/missing' does not exist: create it, or correct spec\.etcdCluster\.name/,
  "no-claim": /PersistentVolumeClaim 'default\/missing' does not exist: create it, or correct volume\.claimName/,
  "no-server": /the server did not answer, or is busy; try again later \(.*ECONNREFUSED/,
  "no-etcd": /no member of etcdEndpoints 'http:\/\/127\.0\.0\.1:\d+' answers/,
};

/** In every way that the API server lets pass. */
async function bad(): Promise<Readonly<Record<string, Spec>>> {
  const s3 = place.block("bad").s3;
  const [port, other] = await freePorts(2);
  place.faults.stallResponses({ afterBytes: 0, times: ALWAYS, only: /\/silent/ });
  // No provisioner makes it, so a pod that needs it stays where it is.
  const unbound = aClaim("unbound") as { spec: object };
  await scenario.local.apply({ ...unbound, spec: { ...unbound.spec, storageClassName: "no-such-class" } });
  const volume = (claimName: string) =>
    ({ s3: undefined, storageType: "Volume", volume: { claimName, path: "bad" } }) as const;
  return {
    silent: { s3: { ...s3, path: "backups/silent" } as Spec["s3"] },
    unbound: volume("unbound"),
    "no-secret": { s3: { ...s3, path: "backups/bad", awsSecret: "missing" } },
    "no-cluster": { etcdCluster: { name: "missing" } },
    "no-claim": volume("missing"),
    "no-server": { s3: { ...s3, path: "backups/bad", endpoint: `http://127.0.0.1:${port}` } },
    "no-etcd": { etcdCluster: undefined, etcdEndpoints: [`http://127.0.0.1:${other}`] },
  };
}
