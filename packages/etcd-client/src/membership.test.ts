import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";

// The steps of one cluster's life; each test builds on the one before it.
describe("membership", () => {
  let plain: EtcdProcess;
  let dir: string;
  let a: MemberUnderTest;
  let b: MemberUnderTest;
  let onA: EtcdClient;
  let onB: EtcdClient;
  let idOfB: bigint;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "etcd-membership-"));
    plain = await startEtcd({ version: "3.5.16" });
    const binary = plain.binaries.etcd;
    a = await MemberUnderTest.create({ binary, dir, name: "a" });
    b = await MemberUnderTest.create({ binary, dir, name: "b" });
    a.start();
    onA = connectEtcd({ address: a.address });
    onB = connectEtcd({ address: b.address });
    await eventually(() => onA.put({ key: "k", value: "v" }));
  });
  afterAll(async () => {
    onA?.close();
    onB?.close();
    await Promise.all([a?.stop(), b?.stop(), plain?.stop()]);
    await rm(dir, { recursive: true, force: true });
  });

  test("lists the members", async () => {
    expect(await onA.members()).toEqual([
      {
        id: expect.any(BigInt),
        name: "a",
        peerUrls: [a.peerUrl],
        clientUrls: [`http://${a.address}`],
        isLearner: false,
      },
    ]);
  });

  test("asks the cluster who it is before it changes the wrong one", async () => {
    const { clusterId } = await onA.status();
    const mistaken = connectEtcd({ address: new URL(plain.clientUrl).host }, { expectClusterId: clusterId });
    const add = mistaken.addMember({ peerUrls: [b.peerUrl], asLearner: true });
    expect((await errorOf(add)).code).toBe("wrong-cluster");
    mistaken.close();
    const [only, ...others] = (await plain.etcdctl("member", "list")).trim().split("\n");
    expect([only, others]).toEqual([expect.stringContaining("started"), []]);
  });

  test("adds a learner, and refuses the same URL twice, a second learner, and a too early promotion", async () => {
    const added = await onA.addMember({ peerUrls: [b.peerUrl], asLearner: true });
    expect(added).toMatchObject({ name: "", isLearner: true, peerUrls: [b.peerUrl] });
    idOfB = added.id;
    const again = onA.addMember({ peerUrls: [b.peerUrl], asLearner: true });
    expect((await errorOf(again)).code).toBe("already-exists");
    const second = onA.addMember({ peerUrls: ["http://127.0.0.1:1"], asLearner: true });
    expect((await errorOf(second)).code).toBe("too-many-learners");
    expect((await errorOf(onA.promoteMember(idOfB))).code).toBe("learner-not-ready");
  });

  test("a learner that caught up is healthy, but does not serve what voters serve", async () => {
    b.start([a]);
    await eventually(async () => expect((await onB.status()).leaderId).toBeDefined());
    expect(await onB.status()).toMatchObject({ isLearner: true, memberId: idOfB });
    expect((await errorOf(onB.put({ key: "k", value: "w" }))).code).toBe("not-for-learners");
    expect(await onB.health()).toEqual({ health: "healthy" });
  });

  test("promotes a learner once it is in sync, and no member twice", async () => {
    const members = await eventually(() => onA.promoteMember(idOfB));
    expect(members.map(({ name, isLearner }) => [name, isLearner]).sort()).toEqual([
      ["a", false],
      ["b", false],
    ]);
    expect((await errorOf(onA.promoteMember(idOfB))).code).toBe("member-not-learner");
    expect((await errorOf(onA.promoteMember(4711n))).code).toBe("not-found");
  });

  test("moves the leader, which only the leader can", async () => {
    const idOfA = (await onA.status()).memberId;
    expect((await errorOf(onB.moveLeader(idOfA))).code).toBe("not-leader");
    await eventually(() => onA.moveLeader(idOfB));
    await eventually(async () => expect((await onA.status()).leaderId).toBe(idOfB));
  });

  test("changes where a member is reached", async () => {
    const members = await onA.updateMember(idOfB, [b.peerUrl, "http://localhost:1"]);
    expect(members.find(({ id }) => id === idOfB)?.peerUrls).toEqual([b.peerUrl, "http://localhost:1"]);
    await onA.updateMember(idOfB, [b.peerUrl]);
  });

  test("without quorum the survivor is unhealthy, the dead one unknown, and the list comes only from memory", async () => {
    await b.stop();
    const timeoutMs = 1_000;
    await eventually(async () => expect((await onA.health({ timeoutMs })).health).toBe("unhealthy"));
    expect((await onB.health({ timeoutMs })).health).toBe("unknown");
    const { code } = await errorOf(onA.members({ timeoutMs }));
    expect(["deadline", "no-leader"]).toContain(code);
    expect(await onA.members({ linearizable: false })).toHaveLength(2);
    b.start();
    await eventually(async () => expect(await onA.health({ timeoutMs })).toEqual({ health: "healthy" }));
  });

  test("removes a member", async () => {
    // A removal that timed out may have been applied, so look before asking again.
    await eventually(async () => {
      if ((await onA.members()).length > 1) await onA.removeMember(idOfB);
      expect((await onA.members()).map(({ name }) => name)).toEqual(["a"]);
    });
    await eventually(async () => expect((await errorOf(onA.removeMember(idOfB))).code).toBe("not-found"));
  });
});

/** Leaders are elected, learners catch up and members connect in their own time. */
function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 30_000, interval: 100 });
}
