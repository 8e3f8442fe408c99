import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { ByOperator } from "./by-operator.ts";
import type { WatchedWorld } from "./watched-world.ts";

/** A follower's end needs no election: whoever was connected to it has to connect to another. */
const LIMIT_MS = 1_000;
const KIND = { bootstrap: "Parallel", claims: false } as const;

/** The longest time without an acknowledged write for clients of the Service, while the operator replaces a member. */
export async function measureWriteGap(world: WatchedWorld): Promise<Figure> {
  const operator = new ByOperator(world, KIND, "written");
  await operator.create();
  const values: number[] = [];
  while (values.length < repetitions(2, 1)) {
    await operator.cluster.restedFor(KIND);
    const witness = await operator.cluster.witness({ name: `gap-${values.length}` });
    await witness.writesAgain();
    await operator.heal();
    await witness.stop();
    await witness.check(await operator.cluster.voters());
    values.push(witness.report().longestGapMs);
  }
  await operator.remove();
  return figure({ name: "cluster: longest write gap while healing", unit: "ms", values, limits: [LIMIT_MS], goal: 1 });
}
