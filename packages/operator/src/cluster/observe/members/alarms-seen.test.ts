import assert from "node:assert/strict";
import type { MemberStatus } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient, EtcdError } from "@etcd-operator/etcd-client";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, describe, test } from "vitest";
import type { EtcdMember, MembershipSeen } from "../../model/observation.ts";
import { alarmsSeen } from "./alarms-seen.ts";
import type { Reached } from "./ask-member.ts";

const ALL_THERE = Promise.resolve<MembershipSeen>({ kind: "confirmed", members: [] });
const QUESTION = { clusterId: undefined, timeoutMs: 2_000, signal: new AbortController().signal };

describe("the alarms of a real etcd", () => {
  const started: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const stop of started) await stop();
  });

  test.each(["3.4.23", "3.5.16"])("%s hints at them, and names them when asked", async (version) => {
    const etcd: EtcdProcess = await startEtcd({ version, flags: ["--quota-backend-bytes=1000000"] });
    const client = connectEtcd({ address: new URL(etcd.clientUrl).host });
    started.push(() => client.close(), etcd.stop);
    assert.deepEqual(await alarmsSeen([await reach(client)], QUESTION, ALL_THERE), []);
    await fill(client);
    const { status } = await reach(client);
    const memberId = status.memberId.toString(16);
    assert.deepEqual(await alarmsSeen([await reach(client)], QUESTION, ALL_THERE), [{ memberId, kind: "no-space" }]);
  });
});

describe("asking for alarms", () => {
  const raised = [{ memberId: 10n, kind: "corrupt" }] as const;
  const seen = [{ memberId: "a", kind: "corrupt" }];
  const HINT = { errors: ["memberID:10 alarm:CORRUPT "] };

  test("is spared while no member complains, and having no leader is another matter", async () => {
    const asked = [aMember({}), aMember({ status: { errors: ["etcdserver: no leader"] } })];
    assert.deepEqual(await alarmsSeen(asked, QUESTION, ALL_THERE), []);
  });

  test("is not spared with 3.3, which does not hint", async () => {
    assert.deepEqual(
      await alarmsSeen([aMember({ status: { version: "3.3.25" }, alarms: raised })], QUESTION, ALL_THERE),
      seen,
    );
  });

  describe("is not spared while a member is awaited, because it may need one more entry to come up:", () => {
    const listed = (...ids: string[]): EtcdMember[] =>
      ids.map((id) => ({ id, name: id, peerUrls: [], isLearner: id !== "a" }));
    const isAsked = async (membership: MembershipSeen, isHealthy = true) =>
      (await alarmsSeen([aMember({ isHealthy, alarms: raised })], QUESTION, Promise.resolve(membership))).length > 0;

    test("one of the list does not answer", async () => {
      assert.equal(await isAsked({ kind: "confirmed", members: listed("a", "b") }), true);
      assert.equal(await isAsked({ kind: "confirmed", members: listed("a") }), false);
    });

    test("but not where no majority is there to write it", async () => {
      assert.equal(await isAsked({ kind: "unconfirmed", members: listed("a", "b") }), false);
      assert.equal(await isAsked({ kind: "confirmed", members: listed("a", "b") }, false), false);
    });
  });

  test("goes to any voter that has a leader, since a corrupt cluster may have no healthy one", async () => {
    const members = [
      aMember({ status: { ...HINT, isLearner: true } }),
      aMember({ status: { ...HINT, leaderId: undefined } }),
      aMember({ status: HINT, isHealthy: false, alarms: raised }),
    ];
    assert.deepEqual(await alarmsSeen(members, QUESTION, ALL_THERE), seen);
  });

  test("goes on to the next one when the first fails", async () => {
    const members = [aMember({ status: HINT }), aMember({ isHealthy: false, alarms: raised })];
    assert.deepEqual(await alarmsSeen(members, QUESTION, ALL_THERE), seen);
    assert.deepEqual(await alarmsSeen(members.slice(0, 1), QUESTION, ALL_THERE), []);
  });
});

async function reach(client: EtcdClient): Promise<Reached> {
  return { client, status: await client.status(), isHealthy: true };
}

/** Writes until there is no space left. */
async function fill(client: EtcdClient): Promise<void> {
  const value = "x".repeat(100_000);
  for (let key = 0; key < 100; key += 1) {
    try {
      await client.put({ key: `fill-${key}`, value });
    } catch (error) {
      if (error instanceof EtcdError && error.code === "no-space") return;
      throw error;
    }
  }
  throw new Error("the quota is never used up");
}

interface MemberGiven {
  readonly status?: Partial<MemberStatus>;
  readonly isHealthy?: boolean;
  /** Absent: it fails. */
  readonly alarms?: Awaited<ReturnType<EtcdClient["alarms"]>>;
}

function aMember({ status, isHealthy = true, alarms }: MemberGiven): Reached {
  const asked = async () => {
    if (alarms) return alarms;
    throw new EtcdError("unavailable", { operation: "alarms", endpoint: "x", reason: "gone" });
  };
  const usual = { clusterId: 1n, memberId: 10n, leaderId: 10n, version: "3.5.16", isLearner: false, errors: [] };
  return {
    client: { alarms: asked } as unknown as EtcdClient,
    status: { ...usual, ...status } as unknown as MemberStatus,
    isHealthy,
  };
}
