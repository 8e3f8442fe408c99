import assert from "node:assert/strict";
import type { Alarm, MemberStatus } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { FakeServer } from "@etcd-operator/testing/etcd/fake-grpc-server.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Answer, byPreference, chooseMember } from "./choose-member.ts";
import type { Origin } from "./origin.ts";

const { signal } = new AbortController();

interface Given {
  readonly id: bigint;
  readonly revision?: bigint;
  readonly isHealthy?: boolean;
  readonly isLearner?: boolean;
  readonly version?: string;
  readonly clusterId?: bigint;
  readonly alarms?: readonly Alarm[];
}

const LEADER = 1n;

function answer({ id, revision = 100n, isHealthy = true, isLearner = false, ...rest }: Given): Answer {
  const { clusterId = 7n, version = "3.5.16" } = rest;
  const status = { memberId: id, revision, isLearner, leaderId: LEADER, clusterId, version } as MemberStatus;
  return { client: {} as EtcdClient, status, isHealthy };
}

describe("the member that is asked for the snapshot", () => {
  test.each<[string, readonly Given[], bigint]>([
    ["one that follows rather than the leader", [{ id: 1n }, { id: 2n }], 2n],
    ["the leader when it is the only healthy one", [{ id: 1n }, { id: 2n, isHealthy: false }], 1n],
    ["the leader rather than a learner", [{ id: 2n, isLearner: true }, { id: 1n }], 1n],
    [
      "the most advanced of those that follow",
      [{ id: 1n, revision: 110n }, { id: 2n }, { id: 3n, revision: 105n }],
      3n,
    ],
    [
      "without a majority a voter rather than a learner of the same revision",
      [
        { id: 3n, isLearner: true },
        { id: 2n, isHealthy: false },
      ],
      2n,
    ],
    [
      "without a majority the voter that has more than a learner",
      [
        { id: 3n, isLearner: true, revision: 10n },
        { id: 2n, isHealthy: false, revision: 1_000_000n },
      ],
      2n,
    ],
    [
      "without a majority a learner that has what no voter has that answers",
      [
        { id: 2n, isHealthy: false, revision: 119n },
        { id: 3n, isLearner: true, revision: 120n },
      ],
      3n,
    ],
    [
      "without a majority the most advanced that answers, the leader of old or not",
      [
        { id: 1n, isHealthy: false, revision: 120n },
        { id: 2n, isHealthy: false, revision: 90n },
      ],
      1n,
    ],
    [
      "but not a learner of 3.4, which gives no snapshot",
      [
        { id: 2n, isHealthy: false, revision: 119n, version: "3.4.23" },
        { id: 3n, isLearner: true, revision: 120n, version: "3.4.23" },
      ],
      2n,
    ],
  ])("%s", (_, given, expected) => {
    const [best] = given.map(answer).sort(byPreference);
    assert.equal(best?.status.memberId, expected);
  });
});

describe("members that answer what the test wants", () => {
  /** Clients by address, and which of them were closed. */
  function world(members: Readonly<Record<string, Given | Error>>, clusterId?: bigint) {
    const closed: string[] = [];
    const connect = ({ address }: { address: string }): EtcdClient => {
      const member = members[address];
      const orFail = async <T>(value: T) => {
        if (!member || member instanceof Error) throw member ?? new Error("no answer");
        return value;
      };
      const { status, isHealthy } = answer(member instanceof Error || !member ? { id: 0n } : member);
      return {
        health: async () => ({ health: isHealthy && !(member instanceof Error) ? "healthy" : "unknown" }),
        status: () => orFail(status),
        alarms: () => orFail(member instanceof Error ? [] : (member?.alarms ?? [])),
        close: () => closed.push(address),
      } as unknown as EtcdClient;
    };
    const origin: Origin = {
      description: "EtcdCluster 'prod/example'",
      endpoints: Object.keys(members).map((address) => ({ address })),
      clusterId,
    };
    return { closed, choose: () => chooseMember(origin, signal, connect) };
  }

  test("connections to all but the chosen are closed, and its own when it is done with", async () => {
    const { closed, choose } = world({ a: { id: 1n }, b: { id: 2n }, c: new Error("down") });
    const chosen = await choose();
    assert.deepEqual(closed, ["a", "c"]);
    chosen.close();
    assert.deepEqual(closed, ["a", "c", "b"]);
  });

  test("when no member responds the message has the error of each", async () => {
    const { closed, choose } = world({ a: new Error("refused"), b: new Error("timed out") });
    await assert.rejects(choose(), {
      code: "no-member",
      isTransient: true,
      message: "no member of EtcdCluster 'prod/example' answers: refused; timed out",
    });
    assert.deepEqual(closed, ["a", "b"]);
  });

  test("when there is no member, that is reported and may pass", async () => {
    const { choose } = world({});
    await assert.rejects(choose(), { code: "no-member", isTransient: true, message: /has no running member/ });
  });

  test("members of different clusters are refused: it is unknown which is meant", async () => {
    const { choose } = world({ a: { id: 1n }, b: { id: 2n, clusterId: 8n } });
    await assert.rejects(choose(), { code: "no-member", isTransient: false, message: /different clusters \(7, 8\)/ });
  });

  test("a member whose data is corrupt by its own alarm is passed over", async () => {
    const alarms: Alarm[] = [
      { memberId: 2n, kind: "corrupt" },
      { memberId: 1n, kind: "no-space" },
    ];
    const { choose } = world({ a: { id: 1n, alarms }, b: { id: 2n, alarms } });
    assert.equal((await choose()).status.memberId, 1n);
  });

  test("where etcd does not know which data is wrong, none is backed up", async () => {
    const alarms: Alarm[] = [{ memberId: 0n, kind: "corrupt" }];
    const { closed, choose } = world({ a: { id: 1n, alarms }, b: { id: 2n, alarms } });
    await assert.rejects(choose(), { code: "corrupt-source", isTransient: false, message: /alarm CORRUPT/ });
    assert.equal(closed.length, 2);
  });
});

describe("real members", () => {
  let etcd: EtcdUnderTest;
  let origin: Origin;
  beforeAll(async () => {
    etcd = await EtcdUnderTest.start("3.5.30", "a", "b", "c");
    origin = {
      description: "the cluster",
      endpoints: [...etcd.clients.values()].map(({ endpoint }) => ({ address: endpoint })),
      clusterId: BigInt(`0x${await etcd.clusterId()}`),
    };
  });
  afterAll(() => etcd?.stop());

  // These build on each other: the cluster loses its members.
  test("one that follows is chosen, with all that was written", async () => {
    const { revision } = await etcd.clientOf("a").put({ key: "k", value: "v" });
    const member = await chooseMember(origin, signal);
    assert.notEqual(member.status.memberId, member.status.leaderId);
    assert.equal(member.status.revision, revision);
    member.close();
  });

  test("no member of another cluster than the recorded one is chosen", async () => {
    const other = { ...origin, clusterId: 1n };
    await assert.rejects(chooseMember(other, signal), { code: "no-member", message: /belongs to cluster/ });
  });

  test("one that is no etcd at all does no harm", async () => {
    const server = new FakeServer((stream) => stream.close());
    const address = await server.listen();
    const member = await chooseMember(
      { ...origin, endpoints: [{ address }, ...origin.endpoints] },
      signal,
      connectEtcd,
    );
    assert.notEqual(member.client.endpoint, address);
    member.close();
    await server.close();
  });

  test("a survivor is chosen where no majority is left", async () => {
    await etcd.kill("b");
    await etcd.kill("c");
    const member = await chooseMember(origin, signal);
    assert.equal(member.client.endpoint, etcd.clientOf("a").endpoint);
    member.close();
  });
});

describe.each(["3.5.16", "3.5.30"])("a learner whose leader is dead, of etcd %s", (version) => {
  let etcd: EtcdUnderTest;
  let origin: Origin;
  beforeAll(async () => {
    etcd = await EtcdUnderTest.start(version, "a", "b");
    await etcd.join("d");
    await until(() => etcd.clientOf("a").put({ key: "k", value: "v" }), { what: "a write" });
    // What is left of three voters beside a learner, one of them having been replaced.
    if ((await etcd.leader()) === "a") await etcd.clientOf("a").moveLeader(await memberId("b"));
    await until(async () => (await etcd.leader()) === "b", { what: "b to lead" });
    await etcd.kill("b");
    const address = (name: string) => ({ address: etcd.clientOf(name).endpoint });
    const clusterId = (await etcd.clientOf("a").status()).clusterId;
    origin = { description: "the cluster", endpoints: [address("d"), address("a")], clusterId };
    await until(async () => (await etcd.clientOf("a").status()).leaderId === undefined, {
      what: "a to miss its leader",
    });
  });
  afterAll(() => etcd?.stop());

  const memberId = async (name: string) => (await etcd.clientOf(name).status()).memberId;

  test("still names it, and is not preferred to a voter that has as much", async () => {
    const [learner, voter] = await Promise.all([etcd.clientOf("d").status(), etcd.clientOf("a").status()]);
    assert.notEqual(learner.leaderId, undefined);
    const member = await chooseMember(origin, signal);
    assert.ok(member.status.revision >= voter.revision, "the survivor has less than a voter that answers");
    if (learner.revision <= voter.revision) assert.equal(member.status.memberId, voter.memberId);
    member.close();
  });
});
