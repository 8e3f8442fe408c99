import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { KubeClient, ObjectRef } from "@etcd-operator/kubernetes-client";
import { etcdBinaries } from "@etcd-operator/local-kubernetes";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { LocalModeUnderTest } from "@etcd-operator/testing/local/local-mode.ts";
import { OPERATED } from "../cluster/by-operator.ts";
import { VERSION } from "../cluster/contestant.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { Duel } from "./duel.ts";
import type { LargeCluster } from "./large-cluster.ts";
import type { Place } from "./stores.ts";

const LIMIT_MIB = 160;
const PATIENCE_MS = 600_000;

/**
 * An EtcdBackup from its creation until it has succeeded, so with everything that it takes to be sure of it, beside
 * `etcdctl snapshot save` to a file; and the most memory that the operator had meanwhile.
 */
export async function measureThroughput(
  client: KubeClient,
  local: LocalModeUnderTest,
  large: LargeCluster,
  place: Place,
): Promise<readonly Figure[]> {
  const peaks: number[] = [];
  let count = 0;
  const byOperator = async () => {
    const pid = (await local.operatorPid()) ?? 0;
    await forgetPeak(pid);
    count += 1;
    const durationMs = await backUp(client, `${place.name.toLowerCase()}-${count}`, large, place);
    peaks.push(await peakMib(pid));
    return [durationMs];
  };
  const duel = new Duel([byOperator, () => saveByHand(large)], (contestant) => contestant());
  for (let round = 0; round < repetitions(3, 1); round += 1) await duel.round();
  const { values, limits } = duel;
  const name = `backup: ${sizeOf(large)} to ${place.name}`;
  return [
    figure({ name, unit: "ms", values, limits, goal: place.goal }),
    figure({ name: `${name}: memory of the operator`, unit: "MiB", values: peaks, limits: [LIMIT_MIB], goal: 1 }),
  ];
}

function sizeOf({ sizeBytes }: LargeCluster): string {
  return `${(sizeBytes / 2 ** 30).toFixed(1)} GiB`;
}

export async function backUp(
  client: KubeClient,
  name: string,
  { cluster }: LargeCluster,
  place: Place,
): Promise<number> {
  const ref = { namespace: OPERATED, name };
  const started = performance.now();
  const { metadata } = await client.create(ownResources.etcdBackups, {
    apiVersion: API_VERSION,
    kind: "EtcdBackup",
    metadata: ref,
    spec: { etcdCluster: { name: cluster.name }, ...place.at(name) },
  });
  await hasSucceeded(client, ref, metadata.resourceVersion);
  return performance.now() - started;
}

/** As a watch tells: waiting takes nothing away from what is measured. */
async function hasSucceeded(
  client: KubeClient,
  { namespace, name }: ObjectRef,
  resourceVersion: string,
): Promise<void> {
  const end = new AbortController();
  const impatience = setTimeout(() => end.abort(new Error(`backup ${name} takes too long`)), PATIENCE_MS);
  try {
    const options = { namespace, resourceVersion, signal: end.signal };
    for await (const event of client.watch(ownResources.etcdBackups, options)) {
      if (event.type !== "MODIFIED") continue;
      if (event.object.metadata.name === name && event.object.status?.succeeded) return;
    }
    throw new Error(`the watch of backup ${name} ended`);
  } finally {
    clearTimeout(impatience);
    end.abort();
  }
}

async function saveByHand(large: LargeCluster): Promise<readonly number[]> {
  const dir = await mkdtemp(join(tmpdir(), "snapshot-by-hand-"));
  try {
    const started = performance.now();
    await saveTo(join(dir, "snapshot.db"), large);
    return [performance.now() - started];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export async function saveTo(file: string, { address }: LargeCluster): Promise<void> {
  const { etcdctl } = await etcdBinaries(VERSION);
  const env = { PATH: process.env.PATH, ETCDCTL_API: "3" };
  const words = ["--endpoints", address, "--command-timeout=600s", "snapshot", "save", file];
  await promisify(execFile)(etcdctl, words, { env });
}

/** Linux keeps the most that a process ever had resident, until that is reset. */
async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}

async function peakMib(pid: number): Promise<number> {
  const line = (await readFile(`/proc/${pid}/status`, "utf8")).split("\n").find((each) => each.startsWith("VmHWM:"));
  return Number(line?.split(/\s+/)[1]) / 1024;
}
