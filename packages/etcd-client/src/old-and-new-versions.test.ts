import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";
import { SnapshotCheck } from "./snapshot/snapshot-file.ts";
import { parseVersion, type Version } from "./version/version.ts";
import { factsOf, flagsToSwitchOn, type VersionFacts } from "./version/version-facts.ts";

// 3.3 to 3.5 come from Debian; a machine without Go has no newer ones and skips them.
const VERSIONS = ["3.3.25", "3.4.23", "3.5.30", "3.6.16", "3.7.3"];

describe.each(VERSIONS)("etcd %s", (version) => {
  test("starts with the flags the facts name, and keeps what they promise", async (context) => {
    const facts = factsOf(read(version));
    const etcd = await startIfObtainable(version, flagsFor(facts));
    if (!etcd) return context.skip(`etcd ${version} cannot be had here`);
    const client = connectEtcd({ address: new URL(etcd.clientUrl).host });
    try {
      await reads(client, version);
      await hasWholeSnapshots(client);
      await answersProgress(client, facts);
      await matchesFacts(client, etcd, facts);
    } finally {
      client.close();
      await etcd.stop();
    }
  });
});

function flagsFor(facts: VersionFacts): string[] {
  return [
    ...flagsToSwitchOn([facts.initialCorruptCheck, facts.compactHashCheck]),
    ...(facts.corruptCheckTimeFlag ? [`${facts.corruptCheckTimeFlag}=1h`] : []),
    ...(facts.watchProgressIntervalFlag ? [`${facts.watchProgressIntervalFlag}=1h`] : []),
    ...(facts.preVote === "absent" ? [] : ["--pre-vote=true"]),
    ...(facts.hasMaxLearnersFlag ? ["--max-learners=1"] : []),
    ...(facts.hasListenMetricsUrls ? ["--listen-metrics-urls=http://127.0.0.1:0"] : []),
  ];
}

async function reads(client: EtcdClient, version: string): Promise<void> {
  const { clusterId, memberId } = await client.status();
  const status = await client.status({ expectClusterId: clusterId });
  expect(status).toMatchObject({ version, memberId, leaderId: memberId });
  expect(await client.members({ expectClusterId: clusterId })).toMatchObject([{ id: memberId, name: "test" }]);
  expect((await errorOf(client.put({ key: "k", value: "v" }, { expectClusterId: 1n }))).code).toBe("wrong-cluster");
  const { revision } = await client.put({ key: "k", value: "v" }, { expectClusterId: clusterId });
  expect((await client.range({ key: "k" })).revision).toBe(revision);
  expect(await client.health()).toEqual({ health: "healthy" });
  expect(await client.alarms()).toEqual([]);
  expect(await client.clusterVersion()).toBe(version.replace(/\d+$/, "0"));
  expect((await client.hashKeyValues(revision)).revision).toBe(revision);
  await client.defragment({ expectClusterId: clusterId });
}

async function hasWholeSnapshots(client: EtcdClient): Promise<void> {
  const { clusterId } = await client.status();
  const check = new SnapshotCheck();
  for await (const chunk of client.snapshot({ expectClusterId: clusterId })) check.update(chunk);
  expect(check.verdict()).toBe("ok");
  const foreign = client.snapshot({ expectClusterId: 1n })[Symbol.asyncIterator]();
  expect((await errorOf(foreign.next())).code).toBe("wrong-cluster");
}

async function answersProgress(client: EtcdClient, facts: VersionFacts): Promise<void> {
  const watch = client.watch({ key: "progress" });
  for await (const { kind } of watch) {
    if (kind === "created" && facts.hasLearners) watch.requestProgress();
    else if (kind === "created") await client.put({ key: "progress", value: "" });
    else return expect(kind).toBe(facts.hasLearners ? "progress" : "events");
  }
}

async function matchesFacts(client: EtcdClient, etcd: EtcdProcess, facts: VersionFacts): Promise<void> {
  const { status } = await fetch(`${etcd.clientUrl}/livez`);
  expect(status).toBe(facts.hasLivezReadyz ? 200 : 404);
  const promotion = await errorOf(client.promoteMember(4711n));
  expect(promotion.code).toBe(facts.hasLearners ? "not-found" : "unsupported");
  const downgrade = await errorOf(client.downgrade("validate", "3.0"));
  expect(downgrade.code).toBe(facts.hasLinearizableMemberList ? "invalid" : "unsupported");
  const { storageVersion, dbQuotaBytes } = await client.status();
  expect([storageVersion !== undefined, dbQuotaBytes !== undefined]).toEqual([facts.canDowngrade, facts.canDowngrade]);
}

function read(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new Error(`not a version: ${text}`);
  return version;
}

async function startIfObtainable(version: string, flags: readonly string[]): Promise<EtcdProcess | undefined> {
  try {
    return await startEtcd({ version, flags });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "unobtainable") return undefined;
    throw error;
  }
}
