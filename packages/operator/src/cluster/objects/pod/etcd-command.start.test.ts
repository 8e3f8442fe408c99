import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { factsOf, parseVersion, type Version } from "@etcd-operator/etcd-client";
import { etcdBinaries, freePorts, obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";
import { etcdEnvironment } from "@etcd-operator/local-kubernetes/binaries/binaries-folder.ts";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { DATA_DIR, etcdCommand } from "./etcd-command.ts";
import { probes } from "./probes.ts";
import type { Start } from "./start.ts";

// The first run on a machine downloads and compiles; every later one finds the cache filled.
const timeout = 15 * 60_000;

const everySetting = {
  quotaBackendBytes: 100_000_000,
  autoCompactionMode: "periodic",
  autoCompactionRetention: "30m",
  heartbeatIntervalMs: 50,
  electionTimeoutMs: 500,
  snapshotCount: 5000,
  maxRequestBytes: 1_000_000,
};
const variables = {
  ETCD_SNAPSHOT_COUNT: "6000",
  ETCD_PRE_VOTE: "true",
  ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK: "true",
};
const etcdEnv = Object.entries(variables).map(([name, value]) => ({ name, value }));

const seed: Start = { kind: "seed", token: "uid-1-1", peers: [] };
const returning: Start = { kind: "returning", clusterId: "unused", memberId: "unused" };

for (const offer of await obtainableVersions()) {
  const obstacle = obstacleOf(offer);
  describe.skipIf(obstacle)(`etcd ${offer.version}${obstacle ? ` (skipped: ${obstacle})` : ""}`, () => {
    test("starts with every setting as a flag, answers its probes, and returns", { timeout }, async () => {
      const member = await aMember(offer.version, { etcd: everySetting });
      const first = member.start(seed);
      await first.isReady();
      if (factsOf(member.version).hasLivezReadyz) expect(await member.answer("/livez")).toBe(200);
      await first.stop();
      await member.start(returning).isReady();
    });

    test("starts with settings as variables, of which the command has no flag", { timeout }, async () => {
      const member = await aMember(offer.version, { etcd: everySetting, pod: { etcdEnv } });
      await member.start(seed, variables).isReady();
    });

    test("joins a running member", { timeout }, async () => {
      const [first, second] = [await aMember(offer.version, {}), await aMember(offer.version, {}, "example-b")];
      await first.start(seed).isReady();
      const asLearner = factsOf(first.version).hasLearners ? ["--learner"] : [];
      await first.etcdctl("member", "add", second.name, `--peer-urls=${second.peerUrl}`, ...asLearner);
      const { diedEarly } = second.start({ kind: "joining", clusterId: "unused", peers: [first] });
      const hasJoined = async () => (await first.etcdctl("member", "list")).includes(`started, ${second.name}`);
      await until(hasJoined, { what: "the second member to have joined", unless: diedEarly });
    });

    test("does not return without its log", { timeout }, async () => {
      const member = await aMember(offer.version, {});
      expect(await member.start(returning).ended).not.toBe("exit code 0");
    });
  });
}

/** A member whose pod is this machine: its command is the builder's, but for addresses, folder and program. */
async function aMember(versionText: string, spec: object, name = "example-a") {
  const binaries = await etcdBinaries(versionText);
  const version = parseVersion(versionText) as Version;
  const dir = await mkdtemp(join(tmpdir(), "etcd-command-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const [peerUrl = "", clientUrl = "", listenMetricsUrl = ""] = (await freePorts(3)).map(
    (port) => `http://127.0.0.1:${port}`,
  );
  const addresses = { peerUrl, listenPeerUrl: peerUrl, clientUrl, listenClientUrl: clientUrl, listenMetricsUrl };
  const input = { spec: anEtcdCluster(spec).spec, member: name, version, addresses };
  const answer = async (path: string) => (await fetch(`${listenMetricsUrl}${path}`)).status;
  const readiness = probes(version, false).readinessProbe?.httpGet?.path ?? "";
  const start = (how: Start, more: Record<string, string> = {}) => {
    const [, ...args] = etcdCommand({ ...input, start: how }).map((arg) => arg.replace(DATA_DIR, join(dir, "data")));
    const env = { ...etcdEnvironment(process.env), ...more };
    const running = startGuarded({ name: `etcd ${name}`, file: binaries.etcd, args, env, log: join(dir, "log") });
    onTestFinished(() => running.stop());
    const isReady = () =>
      until(async () => (await answer(readiness)) === 200, { what: "readiness", unless: running.diedEarly });
    return { ...running, isReady };
  };
  const etcdctl = async (...words: string[]) => {
    const env = { ...process.env, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: clientUrl };
    return (await promisify(execFile)(binaries.etcdctl, words, { env })).stdout;
  };
  return { name, version, peerUrl, answer, start, etcdctl };
}
