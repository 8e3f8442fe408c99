import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { factsOf, parseVersion, type Version } from "@etcd-operator/etcd-client";
import { obstacleOf } from "@etcd-operator/local-kubernetes";
import {
  type EtcdBinaries,
  etcdBinaries,
  obtainableVersions,
} from "@etcd-operator/local-kubernetes/binaries/etcd-binaries.ts";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { guard } from "./guard.ts";
import { formatLogReached, type LogPlace } from "./log-reached.ts";

// The first run on a machine downloads and compiles; every later one finds the cache filled.
const firstRunMs = 15 * 60_000;

interface MemberData {
  readonly dataDir: string;
  readonly memberId: string;
  readonly clusterId: string;
  /** As reported while it still ran. */
  readonly log: LogPlace;
}

for (const offer of await obtainableVersions()) {
  const obstacle = obstacleOf(offer);
  describe.skipIf(obstacle)(`data of etcd ${offer.version}${obstacle ? ` (skipped: ${obstacle})` : ""}`, () => {
    let dir: string;
    let made: { readonly a: MemberData; readonly b: MemberData };
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "etcd-guard-"));
      made = await twoMembers(await etcdBinaries(offer.version), dir);
    }, firstRunMs);
    afterAll(() => rm(dir, { recursive: true, force: true }));

    test("is let through to the member that it belongs to", async () => {
      for (const member of [made.a, made.b]) {
        expect(guard(await copyOf(member.dataDir), returning(member))).toMatchObject({ kind: "allowed" });
      }
    });

    test.each<[string, (dataDir: string) => Promise<void>, string]>([
      ["wiped", (dir) => rm(dir, { recursive: true }), "data-gone"],
      ["emptied", (dir) => emptied(dir), "data-gone"],
      ["without its log", (dir) => rm(join(dir, "member/wal"), { recursive: true }), "log-gone"],
      ["with a log folder that is empty", (dir) => emptied(join(dir, "member/wal")), "log-gone"],
      ["with a log of no bytes", (dir) => cutLogs(dir, 0), "log-unreadable"],
      ["with a log that ends in its first record", (dir) => cutLogs(dir, 20), "log-unreadable"],
      ["with a log of zeros", (dir) => zeroLogs(dir), "log-unreadable"],
    ])("%s is refused", async (_, spoil, refusal) => {
      const dataDir = await copyOf(made.a.dataDir);
      await spoil(dataDir);
      expect(guard(dataDir, returning(made.a))).toMatchObject({ kind: "refused", refusal });
    });

    test("of the other member is refused, and so are logs of both in one folder", async () => {
      const swapped = await copyOf(made.b.dataDir);
      expect(guard(swapped, returning(made.a))).toMatchObject({ kind: "refused", refusal: "other-member" });
      const [log = ""] = await logsIn(made.a.dataDir);
      await cp(log, join(swapped, "member/wal/0000000000000001-0000000000000009.wal"));
      expect(guard(swapped, returning(made.a))).toMatchObject({ kind: "refused", refusal: "log-unreadable" });
    });

    test("of another cluster is refused", async () => {
      const ofAnother = { ...made.a, clusterId: "abc" };
      const refused = { kind: "refused", refusal: "other-cluster" };
      expect(guard(await copyOf(made.a.dataDir), returning(ofAnother))).toMatchObject(refused);
    });

    test("is let through with the log that its member reported, and refused when it lacks one entry of that, or was cut", async () => {
      for (const member of [made.a, made.b]) {
        const { term, index } = member.log;
        const had = (log: LogPlace) => ({ ...returning(member), GUARD_LOG_REACHED: reached(log) });
        const dataDir = await copyOf(member.dataDir);
        expect(guard(dataDir, had(member.log))).toMatchObject({ kind: "allowed" });
        const refused = { kind: "refused", refusal: "log-behind" };
        expect(guard(dataDir, had({ term, index: index + 50 }))).toMatchObject(refused);
        expect(guard(dataDir, had({ term: term + 50, index: 1 }))).toMatchObject(refused);
        await cutLogs(dataDir, 700);
        expect(guard(dataDir, had(member.log))).toMatchObject(refused);
      }
    });

    test("is refused to a new member, but not to the pod that began on an empty directory", async () => {
      const dataDir = join(await aFolder(), "data");
      const [pod, otherPod] = [
        { GUARD_START: "seed", GUARD_POD_UID: "pod-1" },
        { GUARD_START: "seed", GUARD_POD_UID: "pod-2" },
      ];
      expect(guard(dataDir, pod).kind).toBe("allowed");
      await cp(made.a.dataDir, dataDir, { recursive: true });
      expect(guard(dataDir, pod).kind).toBe("allowed");
      expect(guard(dataDir, otherPod)).toMatchObject({ kind: "refused", refusal: "not-empty" });
      expect(guard(dataDir, { ...pod, GUARD_POD_UID: "" })).toMatchObject({ kind: "refused", refusal: "not-empty" });
    });
  });
}

function returning({ memberId, clusterId }: { memberId: string; clusterId: string }): Record<string, string> {
  return { GUARD_START: "returning", GUARD_MEMBER_ID: memberId, GUARD_CLUSTER_ID: clusterId, GUARD_POD_UID: "pod-9" };
}

function reached(log: LogPlace): string {
  return formatLogReached({ ...log, revision: 1, at: "2030-01-01T00:00:00Z" });
}

async function copyOf(dataDir: string): Promise<string> {
  const copy = join(await aFolder(), "data");
  await cp(dataDir, copy, { recursive: true });
  return copy;
}

async function emptied(dir: string): Promise<void> {
  await rm(dir, { recursive: true });
  await mkdir(dir);
}

async function cutLogs(dataDir: string, bytes: number): Promise<void> {
  for (const log of await logsIn(dataDir)) await truncate(log, bytes);
}

async function zeroLogs(dataDir: string): Promise<void> {
  for (const log of await logsIn(dataDir)) await writeFile(log, Buffer.alloc(4096));
}

async function logsIn(dataDir: string): Promise<string[]> {
  const wal = join(dataDir, "member/wal");
  return (await readdir(wal)).filter((name) => name.endsWith(".wal")).map((name) => join(wal, name));
}

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "etcd-guard-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Bootstraps a cluster of one, lets a second one join, stops both, and says what they left. */
async function twoMembers({ version, etcd: binary, etcdctl: program }: EtcdBinaries, dir: string) {
  const [a, b] = [
    await MemberUnderTest.create({ binary, dir, name: "a" }),
    await MemberUnderTest.create({ binary, dir, name: "b" }),
  ];
  const etcdctlAt = (address: string) => {
    const env = { PATH: process.env.PATH, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: address };
    return async (...words: string[]) => (await promisify(execFile)(program, words, { env })).stdout;
  };
  const etcdctl = etcdctlAt(a.address);
  try {
    a.start();
    await until(async () => Boolean(await etcdctl("put", "key", "value")), { what: "a write" });
    const asLearner = factsOf(parseVersion(version) as Version).hasLearners ? ["--learner"] : [];
    await etcdctl("member", "add", "b", `--peer-urls=${b.peerUrl}`, ...asLearner);
    b.start([a]);
    const list = await until(() => listOfBoth(etcdctl), { what: "both to have started" });
    const clusterId = BigInt(/"cluster_id":(\d+)/.exec(await etcdctl("get", "key", "-w=json"))?.[1] ?? 0).toString(16);
    for (let count = 0; count < 5; count += 1) await etcdctl("put", `key-${count}`, "a value that takes some room");
    const logs = { a: await logOf(etcdctl), b: await logOf(etcdctlAt(b.address)) };
    const dataOf = (name: "a" | "b") => ({
      dataDir: join(dir, name),
      memberId: new RegExp(`^([0-9a-f]+), started, ${name},`, "m").exec(list)?.[1] ?? "",
      clusterId,
      log: logs[name],
    });
    return { a: dataOf("a"), b: dataOf("b") };
  } finally {
    await Promise.all([a.stop(), b.stop()]);
    for (const name of ["a", "b"]) await shrink(join(dir, name, "member/wal"));
  }
}

/** Of the last entry that a member has applied; before 3.4 it says which it knows to be agreed on. */
async function logOf(etcdctl: (...words: string[]) => Promise<string>): Promise<LogPlace> {
  const status = await etcdctl("endpoint", "status", "-w=json");
  const number = (field: string) => Number(new RegExp(`"${field}":(\\d+)`).exec(status)?.[1] ?? 0);
  return { term: number("raftTerm"), index: number("raftAppliedIndex") || number("raftIndex") };
}

async function listOfBoth(etcdctl: (...words: string[]) => Promise<string>): Promise<string | false> {
  const list = await etcdctl("member", "list");
  return list.includes("started, a") && list.includes("started, b") && list;
}

/** Removes the 64 MB that etcd reserves for each log, so that copies are cheap. */
async function shrink(wal: string): Promise<void> {
  for (const name of await readdir(wal)) {
    await (name.endsWith(".wal") ? truncate(join(wal, name), 65_536) : rm(join(wal, name)));
  }
}
