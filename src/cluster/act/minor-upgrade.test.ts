import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  ETCD_RUNS,
  whyPostponed,
} from "../../../test/support/cluster/act-under-test.ts";
import { EtcdUnderTest } from "../../../test/support/cluster/etcd-under-test.ts";
import { until } from "../../../test/support/kube/until.ts";
import type { ActionOutcome } from "../action.ts";
import { idOf } from "../situation.ts";

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
    { size: names.length },
    {
      clusterID: await etcd.clusterId(),
      incarnation: 1,
      memberIntents: [{ name: "new", incarnation: 1, purpose: "Join" }],
    },
  );
  await at.runs(etcd, { status: ETCD_RUNS });
  return at;
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
    const why = whyPostponed(await leave(at, "3.5", "3.6.16"));
    assert.equal(why, `the data of c differs from that of a, b at revision ${revision}: replace the wrong one first`);
    await etcd.tamper("c", "the wrong value", "the right value");
    assert.deepEqual(await leave(at, "3.5", "3.6.16"), { kind: "done" });
  });

  test("to 3.4 with users, whose log entries 3.5 would read differently; on disabling them it goes on", async () => {
    const at = await running("3.4.23", "a");
    await etcd.enableUsers();
    assert.match(whyPostponed(await leave(at, "3.4", "3.5.30")), /3\.4 with users enabled .* disable authentication/);
    await etcd.etcdctl("--user=root:secret", "auth", "disable");
    assert.deepEqual(await leave(at, "3.4", "3.5.30"), { kind: "done" });
  });

  test("to a member that joins with it, no less than to one that is restarted", async () => {
    const at = await running("3.4.23", "a");
    await etcd.enableUsers();
    const add = { kind: "add-member", name: "new", asLearner: true } as const;
    const why = whyPostponed(await at.act(await at.observe(), { ...add, version: "3.5.30" }));
    assert.match(why, /new is not added: etcd 3\.4 with users enabled/);
    assert.deepEqual(await etcd.names(), ["a"]);
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

  test("to 3.5 with users, though it does not tell strangers what its data comes to", async () => {
    const at = await running("3.5.16", "a");
    await etcd.enableUsers();
    assert.deepEqual(await leave(at, "3.5", "3.6.16"), { kind: "done" });
  });

  test("because data was compacted since, or because one that is down cannot be asked", async () => {
    const at = await running("3.4.23", "a", "b", "c");
    const { revision } = await etcd.clientOf("a").put({ key: "k", value: "v" });
    await etcd.clientOf("a").compact(revision, { physical: true });
    assert.deepEqual(await leave(at, "3.4", "3.5.30"), { kind: "done" });
    await etcd.kill("a");
    // It may have been the leader.
    await until(async () => (await leave(at, "3.4", "3.5.30")).kind === "done", { what: "the others to say so" });
  });
});
