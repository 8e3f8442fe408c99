import { randomOf } from "../../model/random.ts";
import { Disruptions } from "../checks/disruptions.ts";
import { leftBehind, violations } from "../checks/violations.ts";
import { Writes } from "../transport/writes.ts";
import { Stage } from "../workloads/stage.ts";
import { Witness } from "../workloads/witness.ts";
import { ModelMachine } from "../world/model-machine.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { World } from "../world/world.ts";

/** Where hands reach into what an operator looks after. */
export interface Ground {
  readonly world: World<ModelMachine>;
  readonly stage: Stage;
  readonly writes: Writes;
  /** What must never happen, and did so far. */
  harm(): Promise<readonly string[]>;
  /** What is left behind; only where all has come to its end. */
  left(): readonly string[];
}

/** A world of its own with an operator, for as long as the play takes. */
export async function onGround<Told>(
  seed: number,
  play: (ground: Ground) => Promise<Told>,
  onWrite?: (write: number, what: string) => void,
): Promise<Told> {
  using time = new VirtualTime();
  const [random, writes] = [randomOf(seed), new Writes(undefined, onWrite)];
  const world = await World.open({
    ...{ time, writes, random },
    machine: (client, signal) => new ModelMachine({ client, signal, random }),
  });
  const { objects, machine, backups } = world;
  const stage = new Stage({ time, user: world.admin, objects, machine, backups });
  const disruptions = new Disruptions(stage);
  world.onRequest = (asked) => disruptions.see(asked);
  using _ = new Witness(machine.etcd);
  try {
    world.startOperator();
    return await play({
      ...{ world, stage, writes },
      harm: async () => [...violations(world, { metrics: await world.metrics() }), ...disruptions.found],
      left: () => leftBehind(world),
    });
  } finally {
    await world.close();
  }
}
