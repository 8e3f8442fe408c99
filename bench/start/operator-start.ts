import { setTimeout as pause } from "node:timers/promises";
import { ByOperator } from "../cluster/by-operator.ts";
import type { Stage } from "../cluster/stage.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";

const WATCHING_MS = 600;
const MEMORY_MIB = 90;
const IDLE_MS = repetitions(20_000, 5_000);

const START_NAMES = {
  watching: "etcd-operator: start to watching",
  memory: "etcd-operator: memory with one cluster, idle",
};

/** How soon the operator watches, and what it needs once it has made a cluster and rests. */
export async function measureOperatorStart(stage: Stage): Promise<readonly Figure[]> {
  const watching: number[] = [];
  while (watching.length < repetitions(11, 3)) {
    watching.push(await (await stage.startOperator()).watchingMs());
    await stage.stopOperator();
  }
  const memory: number[] = [];
  while (memory.length < repetitions(5, 1)) memory.push(await memoryWithOne(stage, `one-${memory.length}`));
  return [
    figure({ name: START_NAMES.watching, unit: "ms", values: watching, limits: [WATCHING_MS], goal: 1 }),
    figure({ name: START_NAMES.memory, unit: "MiB", values: memory, limits: [MEMORY_MIB], goal: 1 }),
  ];
}

async function memoryWithOne(stage: Stage, name: string): Promise<number> {
  const operator = await stage.startOperator();
  const cluster = new ByOperator(stage.world, { bootstrap: "Parallel", claims: false, size: 3 }, name);
  await cluster.create();
  await pause(IDLE_MS);
  const mib = await operator.memoryMib();
  await cluster.remove();
  await stage.stopOperator();
  return mib;
}
