import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseVersion, type Version } from "@etcd-operator/etcd-client";
import { etcdBinaries, freePorts, obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";
import { etcdEnvironment } from "@etcd-operator/local-kubernetes/binaries/binaries-folder.ts";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { anObservation, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PodSeen } from "../model/observation.ts";
import { DATA_DIR, etcdCommand } from "../objects/pod/etcd-command.ts";
import { takesVersion } from "./takes-version.rule.ts";

// The first run on a machine downloads and compiles; every later one finds the cache filled.
const timeout = 15 * 60_000;

const settings = {
  quotaBackendBytes: 100_000_000,
  autoCompactionMode: "periodic",
  autoCompactionRetention: "30m",
  heartbeatIntervalMs: 50,
  electionTimeoutMs: 500,
  snapshotCount: 5000,
  maxRequestBytes: 1_000_000,
};

const offers = (await obtainableVersions()).filter((offer) => !obstacleOf(offer)).map(({ version }) => version);

// Each in a pod that was made for itself starts in another test.
const lack = offers.length < 2 && "fewer than two versions of etcd can be had here";
describe.skipIf(lack).each(offers)(titleWith("in a pod that was made for etcd %s", lack), (madeFor) => {
  for (const version of offers.filter((offer) => minorOf(offer) !== minorOf(madeFor))) {
    const pod = aPodFor(madeFor);
    const isTaken = takesVersion(version, pod);
    test(`etcd ${version} ${isTaken ? "starts" : "does not start"}`, { timeout }, async () => {
      expect(await starts(version, pod)).toBe(isTaken);
    });
  }
});

/** Probes are another matter, and another test. */
function aPodFor(version: string): PodSeen {
  const [pod] = anObservation({ members: [leader("example-a")], version, spec: { etcd: settings } }).pods;
  if (!pod) throw new Error("there is no pod");
  const command = etcdCommand({
    spec: anEtcdCluster({ version, etcd: settings }).spec,
    member: pod.name,
    version: parseVersion(version) as Version,
    addresses: {
      peerUrl: "PEER",
      listenPeerUrl: "PEER",
      clientUrl: "CLIENT",
      listenClientUrl: "CLIENT",
      listenMetricsUrl: "METRICS",
    },
    start: { kind: "seed", token: "uid-1-1", peers: [] },
  });
  return { ...pod, asksForLivez: false, flags: command.slice(1) };
}

async function starts(version: string, { name, flags }: PodSeen): Promise<boolean> {
  const { etcd: file } = await etcdBinaries(version);
  const dir = await mkdtemp(join(tmpdir(), "takes-version-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const ports = await freePorts(3);
  const [peer = "", client = "", metrics = ""] = ports.map((port) => `http://127.0.0.1:${port}`);
  const args = flags.map((flag) =>
    flag
      .replace("PEER", peer)
      .replace("CLIENT", client)
      .replace("METRICS", metrics)
      .replace(DATA_DIR, join(dir, "data")),
  );
  const env = etcdEnvironment(process.env);
  const running = startGuarded({ name: `etcd ${name}`, file, args, env, log: join(dir, "log") });
  onTestFinished(() => running.stop());
  const hasEnded = running.ended.then(() => "ended");
  const answers = async () => (await fetch(`${client}/health`)).status === 200 && "serves";
  const outcome = await until(() => Promise.race([hasEnded, answers()]), { what: "etcd to serve or to end" });
  return outcome === "serves";
}

function minorOf(version: string): number | undefined {
  return parseVersion(version)?.minor;
}
