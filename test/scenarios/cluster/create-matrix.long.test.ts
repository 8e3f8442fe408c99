import assert from "node:assert/strict";
import { obtainableVersions } from "@etcd-operator/local-kubernetes";
import { type Offer, obstacleOf } from "@etcd-operator/local-kubernetes/binaries/offer.ts";
import { NEWEST_TESTED_VERSION } from "@etcd-operator/operator/api/cluster/etcd-version.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const MINORS = ["3.3", "3.4", "3.5", "3.6", "3.7"];
const MODES = ["Sequential", "Parallel"] as const;
const SIZES = [1, 3, 5];

const offers = await obtainableVersions();
const scenario = clusterScenario();

describe("a new cluster loses nothing of what its clients write from the first moment on", { timeout: 240_000 }, () => {
  for (const minor of MINORS) {
    const offer = newestOf(minor);
    const obstacle = obstacleOf(offer);
    describe(`etcd ${offer.version}${obstacle ? ` (skipped: ${obstacle})` : ""}`, () => {
      const cases = MODES.flatMap((mode) => SIZES.map((size) => [mode, size] as const));
      test.skipIf(obstacle).each(cases)("%s, of size %i", (mode, size) => comesUp(offer.version, mode, size));
    });
  }
});

describe("a cluster whose spec names no version", { timeout: 240_000 }, () => {
  const obstacle = obstacleOf(newestOf("3.7"));
  test.skipIf(obstacle)("runs the newest etcd that is tested, says so, and keeps the last that was named", async () => {
    const metadata = { name: "unversioned", namespace: "default" };
    await scenario.client.create(ownResources.etcdClusters, { metadata, spec: { size: 1 } } as EtcdCluster);
    const cluster = scenario.cluster("unversioned");
    const { status, spec } = await cluster.settled(1);
    assert.deepEqual([status?.desiredVersion, status?.currentVersion], [NEWEST_TESTED_VERSION, NEWEST_TESTED_VERSION]);
    assert.equal(spec.version, undefined);
    await cluster.changeSpec({ version: NEWEST_TESTED_VERSION });
    await cluster.changeSpec({ version: null });
    assert.equal((await cluster.settled(1)).status?.desiredVersion, NEWEST_TESTED_VERSION);
    await cluster.delete();
    await cluster.isGone();
  });
});

/** The newest that can be had; where none can, the machine lacks something, and the offer says what. */
function newestOf(minor: string): Offer {
  const ways = offers.filter(({ version }) => version.startsWith(`${minor}.`));
  const newest = ways.findLast((offer) => obstacleOf(offer) === undefined) ?? ways.at(-1);
  if (newest) return newest;
  throw new Error(`no machine could have any etcd ${minor}: neither Debian's packages nor tools/ know one`);
}

async function comesUp(version: string, bootstrap: (typeof MODES)[number], size: number): Promise<void> {
  const name = `new-${version.replaceAll(".", "-")}-${bootstrap.toLowerCase()}-${size}`;
  const cluster = await scenario.create(name, { version, size, bootstrap });
  const witness = await cluster.witness();
  const { status } = await cluster.settled(size);
  assert.equal(status?.currentVersion, version);
  await witness.writesAgain();
  await cluster.verify(witness);
  await cluster.delete();
  await cluster.isGone();
}
