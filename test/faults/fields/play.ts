import { randomOf } from "../../model/random.ts";
import { Disruptions } from "../checks/disruptions.ts";
import { leftBehind, violations } from "../checks/violations.ts";
import { Writes } from "../transport/writes.ts";
import { Stage } from "../workloads/stage.ts";
import { QUIET_MS } from "../workloads/until-at-rest.ts";
import { Witness } from "../workloads/witness.ts";
import { writtenByAnother } from "../workloads/written-by-another.ts";
import { ModelMachine } from "../world/model-machine.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { World } from "../world/world.ts";
import { withValue } from "./at-path.ts";
import { entryOf, specWith } from "./entries/entry.ts";
import type { Property } from "./property.ts";
import { tlsSecrets } from "./scenes/certificates.ts";
import { strictAboutPods } from "./scenes/pod-rules.ts";
import type { Scene } from "./scenes/scene.ts";
import type { Step, Trouble } from "./step.ts";
import { Walk } from "./walk.ts";

export interface Play {
  readonly scene: Scene;
  readonly property: Property;
  readonly steps: readonly Step[];
  readonly isInTrouble: boolean;
  /** The object is made with it. */
  readonly trouble?: Trouble | undefined;
}

export interface Played {
  readonly failures: readonly string[];
  readonly transitions: number;
  /** Of all edits the one whose end took longest. */
  readonly longestMs: number;
  readonly log: readonly string[];
}

/** Walks a property through its values in a world of its own, up to the first edit that does not end well. */
export async function play({ scene, property, steps, isInTrouble, trouble }: Play, seed: number): Promise<Played> {
  await tlsSecrets();
  using time = new VirtualTime();
  const [random, writes] = [randomOf(seed), new Writes()];
  const world = await World.open({
    ...{ time, writes, random, view: strictAboutPods },
    machine: (client, signal) => new ModelMachine({ client, signal, random }),
  });
  const { machine, objects, backups } = world;
  const stage = new Stage({ time, user: world.admin, objects, machine, backups });
  const entry = entryOf(scene.entries, property);
  const disruptions = new Disruptions(stage);
  world.onRequest = (asked) => disruptions.see(asked);
  using _ = new Witness(machine.etcd);
  try {
    world.startOperator();
    const base = specWith(isInTrouble ? scene.specInTrouble : scene.spec, entry.given);
    await scene.prepare(stage, trouble ? withValue(base, trouble.path, trouble.value) : base);
    await time.pass(QUIET_MS);
    writes.count();
    const walk = new Walk({ stage, scene, base, writes, property, entry, trouble });
    const failures: string[] = [];
    for (const step of steps) if (!walk.isLost) failures.push(...(await walk.take(step)));
    const { transitions, longestMs } = walk;
    if (failures.length === 0) failures.push(...(await writtenByAnother(world, time, writes)));
    const broken = violations(world, { metrics: await world.metrics() });
    const left = failures.length > 0 ? [] : leftBehind(world);
    return {
      failures: [...failures, ...broken, ...disruptions.found, ...left],
      ...{ transitions, longestMs, log: world.log },
    };
  } finally {
    await world.close();
  }
}
