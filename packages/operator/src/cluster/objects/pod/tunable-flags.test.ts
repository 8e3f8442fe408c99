import { parseVersion } from "@etcd-operator/etcd-client";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { tunableFlags } from "./tunable-flags.ts";

const SNAPSHOTS = "--snapshot-count=10000";
const env = (...names: string[]) => ({ pod: { etcdEnv: names.map((name) => ({ name, value: "x" })) } });

describe("the flags of etcd besides its identity", () => {
  test.each([
    ["3.2.32", [SNAPSHOTS]],
    ["3.3.25", [SNAPSHOTS, "--experimental-initial-corrupt-check=true"]],
    ["3.4.23", [SNAPSHOTS, "--pre-vote=true", "--experimental-initial-corrupt-check=true"]],
    [
      "3.5.30",
      [SNAPSHOTS, "--experimental-initial-corrupt-check=true", "--experimental-compact-hash-check-enabled=true"],
    ],
    ["3.6.16", ["--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true"]],
    ["3.7.3", ["--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true"]],
  ])("%s gets %j without being asked", (version, flags) => {
    expect(flagsOf({}, version)).toEqual(flags);
  });

  test("3.3 with TLS between members is spared a check that reaches no member", () => {
    expect(flagsOf({ TLS: STATIC_TLS }, "3.3.25")).toEqual([SNAPSHOTS]);
    expect(flagsOf({ TLS: STATIC_TLS }, "3.4.23")).toContain("--experimental-initial-corrupt-check=true");
  });

  test("every field of spec.etcd has its flag", () => {
    const etcd = {
      quotaBackendBytes: 0,
      autoCompactionMode: "periodic",
      autoCompactionRetention: "30m",
      heartbeatIntervalMs: 200,
      electionTimeoutMs: 2000,
      snapshotCount: 5000,
      maxRequestBytes: 1000000,
    };
    expect(flagsOf({ etcd }, "3.7.3").slice(0, 7)).toEqual([
      "--quota-backend-bytes=0",
      "--auto-compaction-mode=periodic",
      "--auto-compaction-retention=30m",
      "--heartbeat-interval=200",
      "--election-timeout=2000",
      "--snapshot-count=5000",
      "--max-request-bytes=1000000",
    ]);
  });

  test.each([
    ["hours", { autoCompactionMode: "periodic", autoCompactionRetention: "8" }, ["--auto-compaction-retention=8"]],
    ["minutes, which it would refuse", { autoCompactionRetention: "30m" }, []],
    ["revisions, which it would take for hours", { autoCompactionMode: "revision", autoCompactionRetention: "8" }, []],
    ["a size of requests", { maxRequestBytes: 1000 }, []],
  ])("3.2, asked for %s, gets only what it understands", (_, etcd, flags) => {
    expect(flagsOf({ etcd }, "3.2.32")).toEqual([...flags, SNAPSHOTS].sort());
  });
});

test("how often the log is saved is the user's choice before it is ours", () => {
  expect(flagsOf({ etcd: { snapshotCount: 50_000 } }, "3.4.23")).toContain("--snapshot-count=50000");
  expect(flagsOf({ etcd: { snapshotCount: 50_000 } }, "3.4.23")).not.toContain(SNAPSHOTS);
});

describe("a variable in etcdEnv", () => {
  test.each([
    [
      "a tunable",
      { etcd: { snapshotCount: 5 }, ...env("ETCD_SNAPSHOT_COUNT") },
      "3.5.4",
      ["--experimental-initial-corrupt-check=true"],
    ],
    ["our own tunable", env("ETCD_SNAPSHOT_COUNT"), "3.5.4", ["--experimental-initial-corrupt-check=true"]],
    ["pre-vote", env("ETCD_PRE_VOTE"), "3.4.23", [SNAPSHOTS, "--experimental-initial-corrupt-check=true"]],
    ["a check", env("ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK"), "3.4.23", [SNAPSHOTS, "--pre-vote=true"]],
    [
      "a check by its old name",
      env("ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK"),
      "3.6.16",
      ["--feature-gates=CompactHashCheck=true"],
    ],
    ["the gates", env("ETCD_FEATURE_GATES"), "3.7.3", []],
    [
      "something else",
      env("ETCD_LOG_LEVEL"),
      "3.7.3",
      ["--feature-gates=InitialCorruptCheck=true,CompactHashCheck=true"],
    ],
  ])("that sets %s keeps our flag away", (_, spec, version, flags) => {
    expect(flagsOf(spec, version)).toEqual(flags);
  });
});

function flagsOf(spec: object, version: string): string[] {
  const parsed = parseVersion(version);
  if (!parsed) throw new Error(`not a version: ${version}`);
  return tunableFlags(anEtcdCluster(spec).spec, parsed);
}
