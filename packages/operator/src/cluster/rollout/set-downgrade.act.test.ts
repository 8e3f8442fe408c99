import assert from "node:assert/strict";
import { ApiUnderTest, type ClusterUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { canObtain } from "@etcd-operator/testing/etcd/can-obtain.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";

const ENABLE = { kind: "set-downgrade", step: "enable", target: "3.5" } as const;
const CANCEL = { kind: "set-downgrade", step: "cancel", target: "3.5" } as const;
let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(() => etcd?.stop());
afterAll(() => api?.stop());

async function running(version: string, ...names: readonly string[]): Promise<ClusterUnderTest> {
  etcd = await EtcdUnderTest.start(version, ...names);
  const at = await api.aCluster({ size: names.length }, { clusterID: await etcd.clusterId(), incarnation: 1 });
  await at.runs(etcd);
  return at;
}

async function targetOf(name: string): Promise<string | undefined> {
  return (await etcd.clientOf(name).status()).downgradeTarget;
}

const lack = !(await canObtain("3.6.16", "3.5.35")) && "etcd 3.6.16 or 3.5.35 cannot be had here";

describe.skipIf(lack)(titleWith("etcd 3.6", lack), () => {
  test("gets the downgrade, and its cancellation", async () => {
    const at = await running("3.6.16", "a");
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, ENABLE), { kind: "done" });
    assert.equal(await targetOf("a"), "3.5.0");
    assert.match(whyPostponed(await at.act(seen, ENABLE)), /downgrade job in progress/);
    assert.deepEqual(await at.act(seen, CANCEL), { kind: "done" });
    assert.equal(await targetOf("a"), undefined);
    assert.deepEqual(await at.act(seen, CANCEL), { kind: "done" }, "what is not enabled needs no cancelling");
  });

  test("is postponed when etcd refuses it: it may be possible in a moment", async () => {
    const at = await running("3.6.16", "a");
    const why = whyPostponed(await at.act(await at.observe(), { ...ENABLE, target: "3.4" }));
    assert.match(why, /invalid downgrade target version/);
    assert.equal(await targetOf("a"), undefined);
  });

  test("gets none from an operator that does not lead, nor for a spec that is not the observed one", async () => {
    const at = await running("3.6.16", "a");
    const seen = await at.observe();
    at.isLeading = false;
    await assert.rejects(at.act(seen, ENABLE), { code: "not-leading" });
    at.isLeading = true;
    await at.patchSpec({ version: "3.6.17" });
    assert.match(whyPostponed(await at.act(seen, ENABLE)), /has a new spec/);
    assert.equal(await targetOf("a"), undefined);
  });

  test("with users gets none, and the message names the remedy", async () => {
    const at = await running("3.6.16", "a");
    // Later it does not even say what it runs.
    const seen = await at.observe();
    await etcd.enableUsers();
    for (const step of [ENABLE, CANCEL]) {
      const outcome = await at.act(seen, step);
      assert.match(whyPostponed(outcome), /with authentication enabled .* disable authentication/);
      assert.equal(outcome.kind === "postponed" && outcome.barsMinor, true);
    }
  });

  test("is asked through one that has not been downgraded, and keeps the path open for those that follow", async () => {
    const at = await running("3.6.16", "a", "b", "c");
    const [back, other] = (await etcd.leader()) === "a" ? ["b", "c"] : ["a", "b"];
    assert.deepEqual(await at.act(await at.observe(), ENABLE), { kind: "done" });
    // Its data alone may be of the older minor because it has just started.
    const isDown = async () => {
      const told = [await etcd.clientOf(back).clusterVersion(), (await etcd.clientOf(back).status()).storageVersion];
      return told.every((version) => version?.startsWith("3.5"));
    };
    await until(isDown, { what: "the data to be down" });
    // By then it has saved its log too.
    await etcd.clientOf(back).alarms();
    await etcd.kill(back);
    await etcd.restart(back, "3.5.35");
    // Asked of the member that has been downgraded, this is done, but never answered.
    assert.deepEqual(await at.act(await at.observe(), CANCEL), { kind: "done" });
    const isCalledOff = async () => (await targetOf(other)) === undefined;
    await until(isCalledOff, { what: "the other to hear of it" });
    assert.match((await etcd.clientOf(other).status()).storageVersion ?? "", /^3\.5/);
    await etcd.kill(other);
    await etcd.restart(other, "3.5.35");
  });
});

test("no downgrade is requested while no member is healthy", async () => {
  const at = await running("3.5.16", "a");
  await etcd.kill("a");
  assert.match(
    whyPostponed(await at.act(await at.observe(), ENABLE)),
    /no member that could downgrade its data responds/,
  );
});
