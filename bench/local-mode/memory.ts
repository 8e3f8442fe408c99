import { setTimeout as pause } from "node:timers/promises";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { type Figure, figure, median } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { isRunning, WatchedPods } from "../watched-pods.ts";
import { memoryByPart } from "./process-memory.ts";
import { NAMESPACE, sleepingPod } from "./sleeping-pod.ts";

const PODS = 30;
const LIMIT_MIB = 1024;
const SETTLE_MS = 2_000;

/** Resident memory of all processes of local mode while it runs 30 pods; the pods' own processes count too. */
export async function measureMemory(client: KubeClient, rootPid: number): Promise<Figure> {
  await runPods(client);
  const samples: Readonly<Record<string, number>>[] = [];
  while (samples.length < repetitions(5, 3)) {
    await pause(SETTLE_MS);
    samples.push(await memoryByPart(rootPid));
  }
  const names = Object.keys(samples[0] ?? {});
  return figure({
    name: `local mode: memory with ${PODS} pods`,
    unit: "MiB",
    values: samples.map((sample) => Object.values(sample).reduce((sum, mib) => sum + mib, 0)),
    limits: [LIMIT_MIB],
    goal: 1,
    parts: Object.fromEntries(names.map((name) => [name, median(samples.map((sample) => sample[name] ?? 0))])),
  });
}

async function runPods(client: KubeClient): Promise<void> {
  const watched = await WatchedPods.open(client, NAMESPACE);
  try {
    const names = Array.from({ length: PODS }, (_, number) => `stays-${number}`);
    const running = names.map((name) => watched.seen(isRunning(name)));
    await Promise.all([...running, ...names.map((name) => client.create(resources.pods, sleepingPod(name)))]);
  } finally {
    watched.close();
  }
}
