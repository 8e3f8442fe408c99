import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";

const QUOTA_BYTES = 4 << 20;

let etcd: EtcdProcess;
let client: EtcdClient;
beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16", flags: [`--quota-backend-bytes=${QUOTA_BYTES}`] });
  client = connectEtcd({ address: new URL(etcd.clientUrl).host });
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
});

describe("status", () => {
  test("tells who the member is and how it fares", async () => {
    const [member] = await client.members();
    const status = await client.status();
    expect(status).toMatchObject({
      memberId: member?.id,
      leaderId: member?.id,
      version: "3.5.16",
      isLearner: false,
      errors: [],
    });
    expect(status.clusterId).toBeGreaterThan(0n);
    expect(status.dbSizeInUseBytes).toBeLessThanOrEqual(status.dbSizeBytes);
    expect(status.raftAppliedIndex).toBeLessThanOrEqual(status.raftIndex);
  });
});

describe("a full database", () => {
  test("is refused further writes, raises an alarm, and recovers by compact, defragment and disarm", async () => {
    const value = Buffer.alloc(1 << 20);
    const fill = async () => {
      for (;;) await client.put({ key: "filler", value });
    };
    expect((await errorOf(fill())).code).toBe("no-space");
    const { memberId, revision, dbSizeBytes, errors } = await client.status();
    expect(errors.join()).toContain("NOSPACE");
    const alarms = await client.alarms();
    expect(alarms).toEqual([{ memberId, kind: "no-space" }]);

    await client.compact(revision, { physical: true });
    await client.defragment();
    expect((await client.status()).dbSizeBytes).toBeLessThan(dbSizeBytes);
    for (const alarm of alarms) await client.disarm(alarm);
    expect(await client.alarms()).toEqual([]);
    await client.put({ key: "filler", value: "small" });
  });
});

describe("hashKeyValues", () => {
  test("is the same for the same revision, and tells which one it hashed", async () => {
    const { revision } = await client.put({ key: "h", value: "1" });
    const newest = await client.hashKeyValues(0n);
    expect(newest.revision).toBe(revision);
    await client.put({ key: "h", value: "2" });
    expect(await client.hashKeyValues(revision)).toEqual(newest);
    expect((await client.hashKeyValues(0n)).hash).not.toBe(newest.hash);
  });
});

describe("downgrade", () => {
  test("can be validated, and cancelling without one is refused", async () => {
    expect(await client.downgrade("validate", "3.4")).toMatch(/^3\.5\./);
    expect((await errorOf(client.downgrade("validate", "3.2"))).code).toBe("invalid");
    expect((await errorOf(client.downgrade("cancel", ""))).code).toBe("refused");
  });
});

describe("authentication", () => {
  test("refuses a client without a user, which is no sign of ill health", async () => {
    expect(await client.isAuthEnabled()).toBe(false);
    await etcd.etcdctl("user", "add", "root:secret");
    await etcd.etcdctl("user", "grant-role", "root", "root");
    await etcd.etcdctl("auth", "enable");
    expect(await client.isAuthEnabled()).toBe(true);
    expect((await errorOf(client.put({ key: "a", value: "b" }))).code).toBe("auth");
    expect(await client.health()).toEqual({ health: "healthy" });
    await etcd.etcdctl("--user", "root:secret", "auth", "disable");
  });
});
