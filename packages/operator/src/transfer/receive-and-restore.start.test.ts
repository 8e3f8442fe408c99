import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { connectEtcd, type EtcdClient, factsOf, parseVersion, type Version } from "@etcd-operator/etcd-client";
import { freePorts, obstacleOf } from "@etcd-operator/local-kubernetes";
import { etcdEnvironment } from "@etcd-operator/local-kubernetes/binaries/binaries-folder.ts";
import {
  type EtcdBinaries,
  etcdBinaries,
  obtainableVersions,
} from "@etcd-operator/local-kubernetes/binaries/etcd-binaries.ts";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { snapshotBytes } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { startWorkerProgram } from "@etcd-operator/testing/transfer/worker-program.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Container } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { RESTORE_ONCE, RESTORE_ONCE_ANNOTATION, RESTORED, SNAPSHOT_FILE } from "./names.ts";
import { receiveContainer, restoreContainer } from "./pods/receive-and-restore.ts";
import { pushSnapshot } from "./push-snapshot.ts";

// The first run on a machine downloads and compiles; every later one finds the cache filled.
const timeout = 15 * 60_000;
const BUMP = 1_000_000;

const offers = await obtainableVersions();

for (const offer of offers) {
  const obstacle = obstacleOf(offer);
  const because = obstacle ? ` (skipped: ${obstacle})` : "";
  describe.skipIf(obstacle)(`a snapshot of etcd ${offer.version}${because}`, () => {
    test("is received, restored and served, and nothing of that happens twice", { timeout }, async () => {
      const pod = await aPod(offer.version);
      const { revision } = await pod.receive(await aSnapshot(offer.version));
      expect(await pod.restore()).toMatchObject({ code: 0 });
      await pod.serves(factsOf(pod.version).canBumpRevision ? revision + BigInt(BUMP) : revision);
      const before = await pod.files();

      pod.annotations = RESTORED;
      expect(await pod.runReceive()).toBe(0);
      expect(await pod.restore()).toMatchObject({ code: 0 });
      expect(await pod.files()).toEqual(before);
    });
  });
}

describe("a snapshot of one minor before", () => {
  const versions = offers.filter((offer) => !obstacleOf(offer)).map(({ version }) => version);
  const newestOf = (minor: number) => versions.findLast((version) => version.startsWith(`3.${minor}.`)) ?? "";
  const steps = [4, 5, 6, 7].map((minor) => [newestOf(minor - 1), newestOf(minor)] as const);
  test.each(steps.filter(([from, to]) => from && to))("%s is restored by %s", { timeout }, async (from, to) => {
    const pod = await aPod(to);
    const { revision } = await pod.receive(await aSnapshot(from));
    expect(await pod.restore()).toMatchObject({ code: 0 });
    await pod.serves(revision);
  });
});

describe("a pod that restores", () => {
  test("does not restore without the annotation that says so", async () => {
    const pod = await aPod("3.5.16");
    await pod.receive(await aSnapshot("3.5.16"));
    pod.annotations = {};
    expect((await pod.restore()).code).not.toBe(0);
    expect(existsSync(pod.dataDir)).toBe(false);
  });

  test("restores again when it crashed in the middle of it, and the restored data served no client yet", async () => {
    const pod = await aPod("3.5.16");
    const { revision } = await pod.receive(await aSnapshot("3.5.16"));
    await pod.restore();
    await rm(join(pod.dataDir, "member/wal"), { recursive: true });
    expect((await pod.restore()).code).not.toBe(0);

    expect(await pod.runReceive()).toBe(0);
    expect(await pod.restore()).toMatchObject({ code: 0 });
    await pod.serves(revision);
  });
});

interface TakenSnapshot {
  readonly bytes: Buffer;
  readonly revision: bigint;
}

/** Of a member with one key. */
async function aSnapshot(version: string): Promise<TakenSnapshot> {
  const etcd: EtcdProcess = await startEtcd({ version });
  const client = connectEtcd({ address: new URL(etcd.clientUrl).host });
  try {
    const { revision } = await client.put({ key: Buffer.from("key"), value: Buffer.from("kept") });
    return { bytes: await snapshotBytes(client), revision };
  } finally {
    client.close();
    await etcd.stop();
  }
}

async function aPod(versionText: string): Promise<PodUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), "restoring-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const [peerPort, clientPort] = await freePorts(2);
  const version = parseVersion(versionText) as Version;
  return new PodUnderTest(await etcdBinaries(versionText), version, dir, {
    peer: `http://127.0.0.1:${peerPort}`,
    client: `http://127.0.0.1:${clientPort}`,
  });
}

/** A pod that is this machine: its containers' commands are the builders', but for folders and programs. */
class PodUnderTest {
  annotations: Readonly<Record<string, string>> = RESTORE_ONCE;
  readonly dataDir: string;
  readonly #file: string;
  readonly #receive: Container;
  readonly #restore: Container;

  readonly binaries: EtcdBinaries;
  readonly version: Version;
  readonly dir: string;
  readonly urls: { readonly peer: string; readonly client: string };

  constructor(
    binaries: EtcdBinaries,
    version: Version,
    dir: string,
    urls: { readonly peer: string; readonly client: string },
  ) {
    this.binaries = binaries;
    this.version = version;
    this.dir = dir;
    this.urls = urls;
    this.dataDir = join(dir, "etcd/data");
    this.#file = join(dir, "snapshot.db");
    const surroundings = { dataDir: this.dataDir, dataMount: { name: "etcd-data", mountPath: dirname(this.dataDir) } };
    this.#receive = receiveContainer({ image: "own", ...surroundings });
    this.#restore = restoreContainer({
      etcdImage: "etcd",
      version,
      member: "example-a",
      peerUrl: urls.peer,
      token: "uid-2",
      revisionBump: BUMP,
      ...surroundings,
    });
  }

  /** Runs the container and pushes a snapshot to it. */
  async receive(snapshot: TakenSnapshot): Promise<TakenSnapshot> {
    const worker = await startWorkerProgram(this.#worker());
    onTestFinished(() => worker.stop());
    await worker.says("waiting for a snapshot");
    const sha256 = createHash("sha256").update(snapshot.bytes).digest("hex");
    await pushSnapshot(worker.endpoint, inPieces(snapshot.bytes), { sizeBytes: snapshot.bytes.length, sha256 });
    expect(await worker.ended).toBe(0);
    return snapshot;
  }

  /** Runs the container without a client that pushes anything. */
  async runReceive(): Promise<number> {
    const worker = await startWorkerProgram(this.#worker());
    onTestFinished(() => worker.stop());
    return worker.ended;
  }

  async restore(): Promise<{ code: number; output: string }> {
    const [tool = "", ...args] = this.#commandOf(this.#restore);
    const program = tool.endsWith("etcdutl") ? this.binaries.etcdutl : this.binaries.etcdctl;
    const env = Object.fromEntries((this.#restore.env ?? []).map(({ name, value }) => [name, value ?? ""]));
    const run = promisify(execFile)(program ?? "missing", args, { env: { ...etcdEnvironment(process.env), ...env } });
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
    );
  }

  /** Starts etcd as a member that returns, and reads the key. */
  async serves(atLeast: bigint): Promise<void> {
    const { peer, client: clientUrl } = this.urls;
    const running = startGuarded({
      name: "restored etcd",
      file: this.binaries.etcd,
      args: [
        `--data-dir=${this.dataDir}`,
        ...["--name=example-a", `--initial-cluster=example-a=${peer}`, "--initial-cluster-state=existing"],
        ...[`--initial-advertise-peer-urls=${peer}`, `--listen-peer-urls=${peer}`],
        ...[`--listen-client-urls=${clientUrl}`, `--advertise-client-urls=${clientUrl}`],
      ],
      env: etcdEnvironment(process.env),
      log: join(this.dir, "log"),
    });
    const client: EtcdClient = connectEtcd({ address: new URL(clientUrl).host });
    try {
      const range = { key: Buffer.from("key") };
      const { keyValues } = await until(() => client.range(range), { what: "the key", unless: running.diedEarly });
      expect(Buffer.from(keyValues[0]?.value ?? []).toString()).toBe("kept");
      expect((await client.status()).revision).toBeGreaterThanOrEqual(atLeast);
    } finally {
      client.close();
      await running.stop();
    }
  }

  /** What lies in the data directory, and how long it has been there. */
  async files(): Promise<readonly string[]> {
    const names = await readdir(this.dataDir, { recursive: true });
    const all = names.map(async (name) => `${name} ${(await stat(join(this.dataDir, name))).mtimeMs}`);
    return (await Promise.all(all)).sort();
  }

  #worker() {
    const [, ...args] = this.#commandOf(this.#receive);
    return { args, env: { POD_UID: "pod-uid", RESTORE_ONCE: this.#restoreOnce } };
  }

  get #restoreOnce(): string {
    return this.annotations[RESTORE_ONCE_ANNOTATION] ?? "";
  }

  #commandOf({ command = [] }: Container): string[] {
    return command.map((word) =>
      word.replace("$(RESTORE_ONCE)", () => this.#restoreOnce).replace(SNAPSHOT_FILE, this.#file),
    );
  }
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 32_768) yield bytes.subarray(at, at + 32_768);
}
