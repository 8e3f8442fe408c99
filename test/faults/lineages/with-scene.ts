import { messageOf } from "@etcd-operator/kubernetes-client";
import { randomOf } from "../../model/random.ts";
import { Disruptions } from "../checks/disruptions.ts";
import { leftBehind, violations } from "../checks/violations.ts";
import { Writes } from "../transport/writes.ts";
import { Stage } from "../workloads/stage.ts";
import { ModelMachine } from "../world/model-machine.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { World } from "../world/world.ts";
import { Clients } from "./clients.ts";
import { DataKept } from "./data-kept.ts";
import { Ledger } from "./ledger.ts";
import { Scene } from "./scene.ts";
import { SteppedClock } from "./stepped-clock.ts";
import { Truth } from "./truth.ts";

export interface Played {
  readonly failures: readonly string[];
  readonly convergenceMs: number;
  readonly writeGapMs: number;
  readonly log: readonly string[];
}

/** What happens on a scene; the answer is what was not as it should be. */
export type Story = (scene: Scene) => Promise<readonly string[]>;

/** Plays a story in a world of its own, and checks what must never happen in any. */
export async function withScene(seed: number, prepare: (scene: Scene) => Promise<void>, story: Story): Promise<Played> {
  using time = new VirtualTime();
  const [random, writes, clock, ledger] = [randomOf(seed), new Writes(), new SteppedClock(), new Ledger()];
  const world = await World.open({
    ...{ time, writes, random, clock },
    machine: (client, signal) => new ModelMachine({ client, signal, random }),
  });
  const { objects, machine, backups } = world;
  const stage = new Stage({ time, user: world.admin, objects, machine, backups });
  const scene = new Scene({ world, stage, clock, ledger });
  const disruptions = new Disruptions(stage);
  world.onRequest = (asked) => disruptions.see(asked);
  using clients = new Clients(stage, ledger);
  using kept = new DataKept(scene, ledger);
  using truth = new Truth(stage, ledger);
  try {
    world.startOperator();
    await prepare(scene);
    const startedMs = time.elapsedMs;
    const failures = await told(story, scene);
    const endedMs = time.elapsedMs;
    kept.look();
    const broken = violations(world, { metrics: await world.metrics() });
    const founded = machine.etcd.facts.clusters.filter(({ how }) => how === "bootstrapped");
    const beside = founded.length > 1 ? ["an empty cluster was bootstrapped beside objects of the first"] : [];
    const left = failures.length > 0 ? [] : leftBehind(world);
    return {
      failures: [
        ...failures,
        ...beside,
        ...clients.mixed,
        ...kept.found,
        ...truth.found,
        ...disruptions.found,
        ...broken,
        ...left,
      ],
      convergenceMs: endedMs - startedMs,
      writeGapMs: ledger.longestGapMs(startedMs, endedMs),
      log: world.log,
    };
  } finally {
    await world.close();
  }
}

/** A story that cannot go on has said why; what must never happen is checked all the same. */
async function told(story: Story, scene: Scene): Promise<readonly string[]> {
  try {
    return await story(scene);
  } catch (error) {
    const why = messageOf(error);
    return [`it cannot go on: ${why}`, ...scene.stage.unsettled().map((what) => `not done: ${what}`)];
  }
}
