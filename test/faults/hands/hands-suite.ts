import type { Plan, PlanResult, Suite } from "../plan.ts";
import { fieldName, fieldPlays, playField } from "./field-play.ts";
import { insistingPlays, playInsisting } from "./insisting-play.ts";
import { midwayName, midwayPlays, playMidway } from "./midway-play.ts";
import { ofCluster } from "./owned.ts";

/** Every object that the operator owns, and every field of it, changed behind its back. */
export const handsSuite: Suite = {
  name: "hands",
  place: "in-process",
  async plans(seed, extent) {
    const all = await playsOf(seed);
    const plans = [...all].map(([name, { workload }]): Plan => ({ suite: "hands", name, seed, workload }));
    return extent === "full" ? plans : plans.filter(({ name }) => QUICK.includes(name));
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

const QUICK = [
  "client-service/spec.publishNotReadyAddresses",
  "pod/metadata.labels.app",
  "budget-deleted/during-create",
  "client-service-publishNotReadyAddresses/again-and-again",
];

interface HandPlay {
  readonly workload: string;
  run(seed: number): Promise<Omit<PlanResult, "plan">>;
}

async function runPlan(plan: Plan): Promise<PlanResult> {
  const play = (await playsOf(plan.seed)).get(plan.name);
  if (!play) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    return { plan, ...(await play.run(plan.seed)) };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}

const known = new Map<number, Promise<ReadonlyMap<string, HandPlay>>>();

async function playsOf(seed: number): Promise<ReadonlyMap<string, HandPlay>> {
  const plays = known.get(seed) ?? madePlays(seed);
  known.set(seed, plays);
  return plays;
}

async function madePlays(seed: number): Promise<ReadonlyMap<string, HandPlay>> {
  const fields = await fieldPlays(ofCluster, seed);
  return new Map<string, HandPlay>([
    ...fields.map((play): [string, HandPlay] => [
      fieldName(play),
      { workload: `${play.owned.name} at rest`, run: (each) => playField(play, each) },
    ]),
    ...midwayPlays(ofCluster).map((play): [string, HandPlay] => [
      midwayName(play),
      { workload: `during ${play.course.name}`, run: (each) => playMidway(play, each) },
    ]),
    ...insistingPlays.map((play): [string, HandPlay] => [
      play.name,
      { workload: "again and again", run: (each) => playInsisting(play, each) },
    ]),
  ]);
}
