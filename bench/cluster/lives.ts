import { ByOperator } from "./by-operator.ts";
import type { Contestant, Kind } from "./contestant.ts";
import { killEtcd } from "./kill-etcd.ts";
import { passesOver } from "./operator-facts.ts";
import type { Stage } from "./stage.ts";
import { WriteLoad } from "./write-load.ts";
import type { WriteReport } from "./write-tally.ts";

/** What a step gave, once and on one side. */
export interface Sample {
  readonly durationMs: number;
  /** Of clients that wrote meanwhile. */
  readonly writes?: WriteReport;
  /** The operator's, over the cluster, until it was whole. */
  readonly passes?: number;
}

/** Something that happens to a cluster and takes time until it is whole, again or for the first time. */
export interface Step {
  readonly name: string;
  /** How many times the duration by hand it may take. */
  readonly goal: number;
  /** How often it happens to a cluster; once unless told otherwise. */
  readonly times?: number;
  /**
   * What is looked at of the writes: nothing, whether they stop for longer than an election takes, or all that a roll
   * promises.
   */
  readonly writes?: "election" | "roll";
  readonly act: (contestant: Contestant, stage: Stage) => Promise<Sample>;
}

/** What a cluster goes through; each step finds what the one before left. */
export interface Life {
  readonly kind: Kind;
  readonly steps: readonly [creation: Step, ...Step[]];
}

export const ROLLED_TO = "3.5.30";
const A_FEW = 100;
const MANY = 1_000;
const GOALS = { Sequential: 1.15, Parallel: 1.5 };

/** Data in an emptyDir: who loses its pod is replaced. */
export const inEmptyDirs: Life = {
  kind: { bootstrap: "Sequential", claims: false, size: 3 },
  steps: [
    creationOf("Sequential", 3),
    underWrites("heal, another member for a pod that is gone with its data", (by) => by.heal("follower")),
    underWrites("heal, another member for the leader's pod, gone with its data", (by) => by.heal("leader")),
    { name: "resize from 3 to 5", goal: 1.2, act: async (by) => ({ durationMs: await by.resize(5) }) },
    { name: "resize from 5 to 3", goal: 1.2, act: async (by) => ({ durationMs: await by.resize(3) }) },
    {
      name: "roll from 3.5.16 to 3.5.30 under 1,000 writes a second",
      ...{ goal: 1.3, writes: "roll" },
      act: (by, stage) => whileWriting(by, stage, MANY, () => by.roll(ROLLED_TO)),
    },
  ],
};

export const LEADER_KILLED = "the leader's etcd is killed";

/** Data on claims: who loses its pod comes back with its data. */
export const onClaims: Life = {
  kind: { bootstrap: "Parallel", claims: true, size: 3 },
  steps: [
    creationOf("Parallel", 3),
    underWrites("heal, the same member for a pod that is gone, on its claim", (by) => by.heal("follower")),
    underWrites("a follower's etcd is killed", (by, stage) => killEtcd(by, stage, "follower")),
    { ...underWrites(LEADER_KILLED, (by, stage) => killEtcd(by, stage, "leader")), times: 2 },
  ],
};

/** A cluster of another size, which is only created. */
export function onlyCreated(bootstrap: Kind["bootstrap"], size: number): Life {
  return { kind: { bootstrap, claims: bootstrap === "Parallel", size }, steps: [creationOf(bootstrap, size)] };
}

function creationOf(bootstrap: Kind["bootstrap"], size: number): Step {
  return {
    name: `create ${size === 1 ? "one member" : `${size} members`}, ${bootstrap}`,
    goal: GOALS[bootstrap],
    async act(by, { operator }) {
      await by.prepare();
      const durationMs = await by.create();
      return by instanceof ByOperator ? { durationMs, passes: await passesOver(operator, by.cluster) } : { durationMs };
    },
  };
}

function underWrites(name: string, work: (by: Contestant, stage: Stage) => Promise<number>): Step {
  const act: Step["act"] = (by, stage) => whileWriting(by, stage, A_FEW, () => work(by, stage));
  return { name, goal: 1.3, writes: "election", act };
}

let loads = 0;

async function whileWriting(
  { cluster }: Contestant,
  stage: Stage,
  perSecond: number,
  work: () => Promise<number>,
): Promise<Sample> {
  loads += 1;
  const addresses = () => stage.addressesOf(cluster);
  const load = await WriteLoad.start({ name: `${cluster.name}-${loads}`, perSecond, addresses });
  const done = await work().then(
    (durationMs) => ({ durationMs }),
    (error: unknown) => ({ error }),
  );
  const writes = await load.stop();
  if ("error" in done) throw done.error;
  return { ...done, writes };
}
