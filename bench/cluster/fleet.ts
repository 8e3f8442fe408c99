import { setTimeout as pause } from "node:timers/promises";
import type { LocalModeUnderTest } from "../../test/support/local/local-mode.ts";
import { signalEtcd } from "../../test/support/scenario/member-faults.ts";
import { is } from "../../test/support/scenario/settled.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { ByOperator } from "./by-operator.ts";
import type { MeasuredCluster } from "./contestant.ts";
import { operatorMemoryMib } from "./operator-facts.ts";
import type { WatchedWorld } from "./watched-world.ts";

const CLUSTERS = 10;
/** What its Deployment allows. */
const MEMORY_LIMIT_MIB = 256;
const SETTLE_MS = 2_000;
/** So many lose quorum at once, because each takes its time to be noticed. */
const UNLUCKY = 5;
const QUORUM_LOST_LIMIT_MS = 30_000;

/** Ten clusters of three, created at once: the operator's memory, and how soon it tells of those that lose quorum. */
export async function measureFleet(world: WatchedWorld, local: LocalModeUnderTest): Promise<readonly Figure[]> {
  const kind = { bootstrap: "Parallel", claims: false } as const;
  const operators = Array.from({ length: CLUSTERS }, (_, number) => new ByOperator(world, kind, `of-ten-${number}`));
  await Promise.all(operators.map((operator) => operator.create()));
  const unlucky = operators.slice(0, UNLUCKY).map(({ cluster }) => cluster);
  return [await measureMemory(local), await measureQuorumLoss(world, local, unlucky)];
}

async function measureMemory(local: LocalModeUnderTest): Promise<Figure> {
  const values: number[] = [];
  while (values.length < repetitions(3, 2)) {
    await pause(SETTLE_MS);
    values.push(await operatorMemoryMib(local));
  }
  const name = `cluster: memory of the operator with ${CLUSTERS} clusters`;
  return figure({ name, unit: "MiB", values, limits: [MEMORY_LIMIT_MIB], goal: 1 });
}

/** Two of three members fall silent, which Kubernetes has no event for: until the status says that quorum is lost. */
async function measureQuorumLoss(
  world: WatchedWorld,
  local: LocalModeUnderTest,
  clusters: readonly MeasuredCluster[],
): Promise<Figure> {
  const told = await Promise.all(clusters.map((cluster) => untilLossIsTold(world, local, cluster)));
  const name = `cluster: two members silent to QuorumLost, slowest of ${clusters.length}`;
  // The limit is a promise, and holds for each.
  return figure({ name, unit: "ms", values: [Math.max(...told)], limits: [QUORUM_LOST_LIMIT_MS], goal: 1 });
}

async function untilLossIsTold(
  { client }: WatchedWorld,
  local: LocalModeUnderTest,
  cluster: MeasuredCluster,
): Promise<number> {
  const { followers } = await cluster.roles();
  const signal = (name: NodeJS.Signals) =>
    Promise.all(followers.map((pod) => signalEtcd({ local, client }, pod, name)));
  const started = performance.now();
  await signal("SIGSTOP");
  try {
    await cluster.becomes("without quorum", (seen) => is(seen, "QuorumLost") && is(seen, "Available", "False"));
    return performance.now() - started;
  } finally {
    await signal("SIGCONT");
  }
}
