import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { plan } from "@etcd-operator/operator/cluster/plan.ts";
import { type Actor, actInWorld } from "./act-in-world.ts";
import { converge } from "./converge.ts";
import { hasAbleMajority } from "./goal.ts";
import { before, brokenByAction, brokenInWorld } from "./invariants.ts";
import { observeWorld } from "./observe-world.ts";
import { worldOf } from "./old-operator.ts";
import { carryOut, type Interruption, type Planner, type Thought, think } from "./pass.ts";
import { propose } from "./propose.ts";
import { letRun } from "./quiet.ts";
import { type Random, randomOf } from "./random.ts";
import { refreshReadiness, type Step, take } from "./steps.ts";
import { copyOf, type Ground, recordedEtcd, type World } from "./world.ts";

/** A step of the environment or of the operator. */
export type Event =
  | Step
  | ({ readonly do: "pass" } & Interruption)
  /** Observes and plans, then sleeps. */
  | { readonly do: "think" }
  /** Wakes up and acts on what it saw before it slept. */
  | ({ readonly do: "act" } & Interruption)
  /** The watches of the operator stop, until it has written something and waits for them. */
  | { readonly do: "stall" }
  /** Everything but the operator goes its way for a while. */
  | { readonly do: "let-run" };

export interface Story {
  readonly ground: Ground;
  readonly events: readonly Event[];
  /** How nodes behave in the quiet time at the end. */
  readonly nodesReturn: boolean;
}

export interface Walk {
  readonly story: Story;
  /** Why it ends badly; undefined when it does not. */
  readonly why: string | undefined;
}

export const EVENTS_PER_STORY = 250;

/**
 * One cluster's life, made up as it goes; it ends with a quiet time, in which everything has to come right unless
 * `settles` is false.
 */
export async function wander(
  seed: number,
  mostEvents: number,
  planner: Planner = plan,
  settles = true,
  watch: (world: World) => void = () => {},
): Promise<Walk> {
  const random = randomOf(seed);
  const ground = groundOf(random);
  const nodesReturn = random.chance(0.7);
  const run = new Run(worldOf(ground), planner);
  const events: Event[] = [];
  const story = { ground, events, nodesReturn };
  for (let isStormy = false; events.length < mostEvents && !isOver(run.world); ) {
    if (random.chance(0.04)) isStormy = !isStormy;
    const event = isStormy ? stormyEvent(run, random) : calmEvent(run, random);
    events.push(event);
    const [broken] = await run.take(event);
    watch(run.world);
    const why = broken ?? (random.chance(0.03) && settles ? await run.failsToSettle(nodesReturn) : undefined);
    if (why) return { story, why };
  }
  return { story, why: settles ? await run.failsToSettle(nodesReturn) : undefined };
}

/** Why a story ends badly; undefined when it does not. */
export async function retell(
  { ground, events, nodesReturn }: Story,
  planner: Planner = plan,
): Promise<string | undefined> {
  const run = new Run(worldOf(ground), planner);
  for (const event of events) {
    const [broken] = await run.take(event);
    if (broken) return broken;
  }
  return run.failsToSettle(nodesReturn);
}

export class Run {
  readonly world: World;
  readonly #planner: Planner;
  readonly #actor: Actor;
  #sleeping: Thought | undefined;
  #cached: Observation | undefined;
  /** What the operator did in the last event, in words. */
  did = "";

  constructor(world: World, planner: Planner = plan, actor: Actor = actInWorld) {
    this.world = world;
    this.#planner = planner;
    this.#actor = actor;
  }

  get isAsleep(): boolean {
    return this.#sleeping !== undefined;
  }

  async take(event: Event): Promise<string[]> {
    this.did = "";
    const broken = await this.#take(event);
    refreshReadiness(this.world);
    return [...broken, ...brokenInWorld(this.world)];
  }

  async failsToSettle(nodesReturn: boolean): Promise<string | undefined> {
    if (this.world.cluster.metadata.deletionTimestamp) return undefined;
    const end = await converge(copyOf(this.world), { nodesReturn, planner: this.#planner });
    return end.kind === "failed" ? end.why : undefined;
  }

  async #take(event: Event): Promise<string[]> {
    switch (event.do) {
      case "pass":
        return this.#carryOut(think(this.world, this.#planner, this.#cached), event);
      case "stall":
        this.#cached = observeWorld(this.world);
        return [];
      case "think":
        this.#sleeping = { ...think(this.world, this.#planner), before: copyOf(this.world) };
        return [];
      case "act": {
        const thought = this.#sleeping;
        this.#sleeping = undefined;
        return thought ? this.#carryOut(thought, event) : [];
      }
      case "let-run":
        letRun(this.world, true);
        return [];
      default:
        take(this.world, event);
        return [];
    }
  }

  async #carryOut(thought: Thought, interruption: Interruption): Promise<string[]> {
    const was = before(this.world);
    const outcome = await carryOut(this.world, thought, interruption, { actor: this.#actor });
    const { action, seen } = thought;
    if (action.kind !== "none" && action.kind !== "hold") this.#cached = undefined;
    this.did = `${action.kind} (${action.reason}: ${action.message}) → ${outcome.kind}${"why" in outcome ? ` (${outcome.why})` : ""}`;
    return brokenByAction(this.world, was, action, seen, interruption.isLate);
  }
}

function stormyEvent(run: Run, random: Random): Event {
  return random.chance(0.55) ? propose(run.world, random) : passOf(run, random);
}

/** Most go their way, so that the next storm finds the cluster in the middle of something. */
function calmEvent(run: Run, random: Random): Event {
  if (random.chance(0.5)) return passOf(run, random);
  return random.chance(0.7) ? { do: "let-run" } : propose(run.world, random);
}

function passOf(run: Run, random: Random): Event {
  const afterWrites = random.chance(0.1) ? random.int(4) : undefined;
  const interruption = {
    ...(afterWrites !== undefined && { afterWrites }),
    ...(random.chance(0.05) && { losesStatus: true }),
  };
  if (run.isAsleep && random.chance(0.3)) return { do: "act", isLate: random.chance(0.3), ...interruption };
  if (random.chance(0.05)) return { do: "stall" };
  return random.chance(0.1) ? { do: "think" } : { do: "pass", ...interruption };
}

/** Whether nothing worth seeing can happen any more. */
function isOver(world: World): boolean {
  const etcd = recordedEtcd(world);
  const isLost = etcd !== undefined && !hasAbleMajority(world, etcd);
  return Boolean(world.cluster.metadata.deletionTimestamp) || (isLost && !world.cluster.spec.recovery.backupName);
}

function groundOf(random: Random): Ground {
  return {
    size: 1 + random.int(5),
    hasClaims: random.chance(0.5),
    isParallel: random.chance(0.4),
    hasLearners: random.chance(0.7),
    keepsClaims: random.chance(0.2),
    isOld: random.chance(0.1),
    recovers: random.chance(0.3),
    rebalances: random.chance(0.5),
  };
}
