import assert from "node:assert/strict";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  ETCD_RUNS,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { ActionOutcome } from "../model/action.ts";
import { idOf } from "../model/situation.ts";

let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(() => etcd?.stop());
afterAll(() => api?.stop());

/** A cluster that is to leave its minor for the next. */
async function running(version: string, ...names: readonly string[]): Promise<ClusterUnderTest> {
  etcd = await EtcdUnderTest.start(version, ...names);
  const at = await api.aCluster(
    { size: names.length, etcd: { snapshotCount: 1 } },
    {
      clusterID: await etcd.clusterId(),
      incarnation: 1,
      logMark: { minor: minorIn(version), raftIndex: 0 },
      memberIntents: [{ name: "new", incarnation: 1, purpose: "Join" }],
    },
  );
  await at.runs(etcd, { status: ETCD_RUNS });
  return at;
}

function minorIn(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** Has the log written so far that every member has saved what was in it. */
async function saveLogs(at: ClusterUnderTest): Promise<void> {
  const upTo = 6_000;
  await at.act(await at.observe(), { kind: "force-snapshot", from: 1, upTo });
  const isThere = async () =>
    (await at.observe()).pods.every(({ answer }) => (answer.status?.appliedIndex ?? 0) >= upTo);
  await until(isThere, { what: "all members to have got there" });
}

/** Gives the first of the members the next minor. */
async function leave(at: ClusterUnderTest, minor: string, next: string): Promise<ActionOutcome> {
  const seen = await at.observe();
  const [pod] = seen.pods;
  assert.ok(pod);
  return at.act(seen, {
    kind: "restart-member",
    member: { name: pod.name, id: pod.memberId ?? "" },
    pod: idOf(pod),
    change: { kind: "image", image: `registry.example/etcd:v${next}`, version: next },
    leavesMinor: minor,
    goesBackTo: undefined,
    costsMajority: true,
  });
}

describe("the next minor is refused", () => {
  test("while a member has other data than the rest, and is not once it has the same", async () => {
    const at = await running("3.5.16", "a", "b", "c");
    const { revision } = await etcd.clientOf("a").put({ key: "k", value: "the right value" });
    await etcd.tamper("c", "the right value", "the wrong value");
    await saveLogs(at);
    const why = whyPostponed(await leave(at, "3.5", "3.6.16"));
    assert.equal(
      why,
      `the data of c differs from that of a, b at revision ${revision}: replace the members with wrong data first`,
    );
    await etcd.tamper("c", "the wrong value", "the right value");
    assert.deepEqual(await leave(at, "3.5", "3.6.16"), { kind: "done" });
  });

  test("to 3.4 with users, whose log entries 3.5 would read differently; on disabling them it goes on", async () => {
    const at = await running("3.4.23", "a");
    await etcd.enableUsers();
    assert.match(
      whyPostponed(await leave(at, "3.4", "3.5.30")),
      /3\.4 with authentication enabled .* disable authentication/,
    );
    await etcd.etcdctl("--user=root:secret", "auth", "disable");
    await saveLogs(at);
    assert.deepEqual(await leave(at, "3.4", "3.5.30"), { kind: "done" });
  });

  test("to a member that joins with it, no less than to one that is restarted", async () => {
    const at = await running("3.4.23", "a");
    await etcd.enableUsers();
    const add = { kind: "add-member", name: "new", asLearner: true } as const;
    const why = whyPostponed(await at.act(await at.observe(), { ...add, version: "3.5.30" }));
    assert.match(why, /not adding new: etcd 3\.4 with authentication enabled/);
    const declared = await at.act(await at.observe(), { kind: "declare-join", name: "next", leavesMinor: "3.4" });
    assert.equal(declared.kind === "postponed" && declared.barsMinor, true);
    assert.deepEqual(await etcd.names(), ["a"]);
  });
});

describe("the next minor waits", () => {
  test("until etcd has raised the version of the cluster, which takes some seconds", async () => {
    const at = await running("3.5.16", "a");
    await saveLogs(at);
    const client = etcd.clientOf("a");
    for (const version of ["3.4.0", "not_decided"]) {
      at.etcd.set("a", { ...client, clusterVersion: async () => version });
      const why = whyPostponed(await leave(at, "3.5", "3.6.16"));
      assert.equal(why, "waiting for etcd to raise the version of the cluster to 3.5");
    }
    at.etcd.set("a", client);
    assert.deepEqual(await leave(at, "3.5", "3.6.16"), { kind: "done" });
  });

  test("until etcd has raised the version of its data, where it has one", async () => {
    const at = await running("3.5.16", "a");
    await saveLogs(at);
    const client = etcd.clientOf("a");
    const status: typeof client.status = async (options) => ({
      ...(await client.status(options)),
      storageVersion: "3.4.0",
    });
    at.etcd.set("a", { ...client, status });
    const why = whyPostponed(await leave(at, "3.5", "3.6.16"));
    assert.equal(why, "waiting for etcd to raise the data of a to 3.5");
  });

  test("until etcd has forgotten that it went back, because it lets no newer member join before", async () => {
    const at = await running("3.5.16", "a");
    await saveLogs(at);
    // 3.5 does as asked, but never answers.
    const tell = (step: "enable" | "cancel") =>
      etcd
        .clientOf("a")
        .downgrade(step, "3.4", { timeoutMs: 200 })
        .catch(() => undefined);
    await tell("enable");
    assert.equal(whyPostponed(await leave(at, "3.5", "3.6.16")), "waiting for etcd to end its downgrade");
    await tell("cancel");
    await until(async () => (await leave(at, "3.5", "3.6.16")).kind === "done", { what: "etcd to be free to go" });
  });

  test("until every member has saved what is in its log, which the next cannot read", async () => {
    const at = await running("3.5.16", "a");
    const why = whyPostponed(await leave(at, "3.5", "3.6.16"));
    assert.equal(why, "waiting for a to snapshot their log up to index 5501");
    const add = { kind: "add-member", name: "new", asLearner: true, version: "3.6.16" } as const;
    assert.match(
      whyPostponed(await at.act(await at.observe(), add)),
      /not adding new: waiting for a to snapshot their log/,
    );
    await saveLogs(at);
    assert.deepEqual(await leave(at, "3.5", "3.6.16"), { kind: "done" });
  });

  test("until it is on record where in the log the present one began", async () => {
    const at = await running("3.5.16", "a");
    await saveLogs(at);
    await at.patchStatus({ logMark: { minor: "3.4", raftIndex: 0 } });
    assert.match(whyPostponed(await leave(at, "3.5", "3.6.16")), /is not recorded yet/);
  });

  test("until a member that is down has started with the present one: it may not have saved its log", async () => {
    const at = await running("3.5.16", "a", "b", "c");
    await saveLogs(at);
    await etcd.kill("a");
    const waits = async () => /a has to run 3\.5 first/.test(whyPostponed(await leave(at, "3.5", "3.6.16")));
    // It may have been the leader.
    await until(waits, { what: "the others to have a leader" });
  });
});

describe("the next minor is not refused", () => {
  test("to 3.3 with users, nor to members of which some have left it", async () => {
    const at = await running("3.3.25", "a", "b", "c");
    await etcd.enableUsers();
    const follower = (await etcd.leader()) === "b" ? "c" : "b";
    await etcd.kill(follower);
    await etcd.restart(follower, "3.4.23");
    assert.deepEqual(await leave(at, "3.3", "3.4.23"), { kind: "done" });
  });

  test("to 3.5 with users, though it does not report its hash to anonymous clients", async () => {
    const at = await running("3.5.16", "a");
    await saveLogs(at);
    await etcd.enableUsers();
    assert.deepEqual(await leave(at, "3.5", "3.6.16"), { kind: "done" });
  });

  test("because data was compacted since, or because one that is down cannot be asked", async () => {
    const at = await running("3.4.23", "a", "b", "c");
    const { revision } = await etcd.clientOf("a").put({ key: "k", value: "v" });
    await etcd.clientOf("a").compact(revision, { physical: true });
    await saveLogs(at);
    assert.deepEqual(await leave(at, "3.4", "3.5.30"), { kind: "done" });
    await etcd.kill("b");
    // It may have been the leader.
    const add = { kind: "add-member", name: "new", asLearner: true, version: "3.5.30" } as const;
    const isAsked = async () => /unhealthy cluster/.test(whyPostponed(await at.act(await at.observe(), add)));
    await until(isAsked, { what: "the others to say so" });
  });
});
