import { parseArgs } from "node:util";
import { failuresAmong, startsOf } from "./exhaustive.ts";
import { report } from "./report.ts";
import { EVENTS_PER_STORY, wander } from "./walk.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, steps: { type: "string", default: "1000000" } },
});
process.exitCode = (await main(Number(values.seed), Number(values.steps))) || (await everyStart());

/** Goes through all clusters of up to five members, of every kind. */
async function everyStart(): Promise<number> {
  for (const hasClaims of [true, false]) {
    for (const hasLearners of [true, false]) {
      const kind = `with${hasClaims ? "" : "out"} claims, with${hasLearners ? "" : "out"} learners`;
      const failures = await failuresAmong(startsOf({ hasClaims, hasLearners }));
      if (failures.length > 0) {
        console.error(`${kind}:\n${failures.join("\n")}`);
        return 1;
      }
      console.log(`Every cluster of up to five members ${kind} comes right`);
    }
  }
  return 0;
}

/** Walks so many steps, one cluster after the other, each with the next seed; stops at the first that goes wrong. */
async function main(firstSeed: number, steps: number): Promise<number> {
  let taken = 0;
  let seed = firstSeed;
  for (let nextMark = steps / 10; taken < steps; seed += 1) {
    const walk = await wander(seed, EVENTS_PER_STORY);
    taken += walk.story.events.length;
    if (walk.why !== undefined) {
      console.error(await report(seed, walk));
      return 1;
    }
    if (taken < nextMark) continue;
    nextMark += steps / 10;
    console.log(`${taken.toLocaleString("en")} steps, ${seed - firstSeed + 1} clusters`);
  }
  console.log(
    `SEED=${firstSeed} STEPS=${steps}: no promise broken, and every cluster came right when it was left alone`,
  );
  return 0;
}
