import assert from "node:assert/strict";
import { EtcdError } from "@etcd-operator/etcd-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  ETCD_RUNS,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { Work } from "../act/work.ts";
import { forceSnapshot } from "./force-snapshot.act.ts";

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
  await at.runs(etcd, { status: ETCD_RUNS });
  return at;
}

const turnOver = async (at: ClusterUnderTest, upTo: number) =>
  at.act(await at.observe(), { kind: "force-snapshot", from: 1, upTo });
const indexOf = async (name: string) => Number((await etcd.clientOf(name).status()).raftAppliedIndex);

describe("forcing a raft snapshot", () => {
  test.each(["3.4.23", "3.5.16"])("brings every member of %s that far, and changes nothing", async (version) => {
    const at = await running(version, "a", "b", "c");
    const { revision } = await etcd.clientOf("a").put({ key: "k", value: "v" });
    assert.deepEqual(await turnOver(at, 1_000), { kind: "done" });
    for (const name of ["a", "b", "c"]) await until(async () => (await indexOf(name)) >= 1_000, { what: name });
    assert.ok((await indexOf("a")) < 1_100);
    assert.equal((await etcd.clientOf("a").status()).revision, revision);
  });

  test("is done in parts, so that nothing more urgent has to wait for long", async () => {
    const at = await running("3.5.16", "a");
    await turnOver(at, 50_000);
    const index = await indexOf("a");
    assert.ok(index >= 10_000 && index < 11_000, String(index));
  });

  test("keeps the members in their minor, and nothing else, where there are users", async () => {
    // 3.5.16 answers every client, and later patches answer none: the state between is made up.
    const error = new EtcdError("auth", { operation: "alarms", endpoint: "a", reason: "user name is empty" });
    const via = { status: async () => ({ raftAppliedIndex: 5n }) };
    const work = {
      live: { clusterHasChanged: async () => undefined },
      etcd: { members: async () => ({ kind: "list", members: [], via }), change: () => Promise.reject(error) },
    };
    const outcome = await forceSnapshot(work as unknown as Work, { kind: "force-snapshot", from: 1, upTo: 1_000 });
    assert.match(whyPostponed(outcome), /authentication: write keys until its raft index reaches 1000/);
    assert.equal(outcome.kind === "postponed" && outcome.barsMinor, true);
  });

  test("is not done twice", async () => {
    const at = await running("3.5.16", "a");
    await turnOver(at, 1_000);
    const before = await indexOf("a");
    assert.deepEqual(await turnOver(at, 1_000), { kind: "done" });
    assert.equal(await indexOf("a"), before);
  });

  test("is not done by an operator that has lost its Lease, nor for a spec that has changed", async () => {
    const at = await running("3.5.16", "a");
    const seen = await at.observe();
    await at.patchSpec({ version: "3.5.30" });
    assert.match(whyPostponed(await at.act(seen, { kind: "force-snapshot", from: 1, upTo: 1_000 })), /has a new spec/);
    at.isLeading = false;
    await assert.rejects(turnOver(at, 1_000));
    assert.ok((await indexOf("a")) < 100);
  });
});
