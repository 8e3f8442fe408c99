import type { Random } from "../../../model/random.ts";
import { diceOf, type LoadPlan } from "../plan.ts";
import type { Outage, Schedule, Task, Timed, Trouble, Who } from "./step.ts";

/** No two of a kind come closer; what they do takes time of its own. */
const REST_MS = { tasks: [2_000, 8_000], troubles: [2_000, 6_000], outages: [8_000, 22_000] } as const;
const LONGEST_FREEZE_MS = 8_000;
const LONGEST_CUT_MS = 12_000;
/** Long enough for the operator to give a member up. */
const LOST_MS = 22_000;
const SIZES = [1, 2, 3, 4, 5];
/** Fewer members than this have no disk to spare. */
const SPARES_A_DISK = 3;

/** What happens to a cluster, and when: decided by the plan alone. There is more of it than there is time. */
export function scheduleOf(plan: LoadPlan): Schedule {
  return {
    tasks: [...timed(plan, "tasks", tasksOf(plan, diceOf(plan, "tasks")))],
    troubles: [
      ...timed(
        plan,
        "troubles",
        drawn(plan, "troubles", plan.troubles, (name, random) => aTrouble(name, plan.whom, random)),
      ),
    ],
    outages: [...timed(plan, "outages", drawn(plan, "outages", plan.outages, anOutage))],
  };
}

type Kind = keyof typeof REST_MS;

/** As many as fit if each took no time. */
function* timed<Step>(plan: LoadPlan, kind: Kind, steps: Iterable<Step>): Iterable<Timed<Step>> {
  const random = diceOf(plan, `rests of ${kind}`);
  const [least, most] = REST_MS[kind];
  // Short runs have less of it, but not nothing.
  const share = Math.min(1, plan.forMs / (1.5 * most));
  let atMs = 0;
  for (const step of steps) {
    const restMs = Math.round(share * (least + random.int(most - least)));
    atMs += restMs;
    if (atMs >= plan.forMs) return;
    yield { ...step, restMs };
  }
}

function* drawn<Name extends string, Step>(
  plan: LoadPlan,
  kind: Kind,
  names: readonly Name[],
  make: (name: Name, random: Random) => Step,
): Iterable<Step> {
  const random = diceOf(plan, kind);
  for (let name = random.pick(names); name !== undefined; name = random.pick(names)) yield make(name, random);
}

/** Each kind in turn, in an order of its own each time around, so that none is left out. */
function* tasksOf({ tasks, size, versions }: LoadPlan, random: Random): Iterable<Task> {
  const state = { size, versions: versions.slice(1), rolls: 0 };
  for (let left = shuffled(tasks, random); left.length > 0; left = shuffled(tasks, random)) {
    const before = state.rolls;
    for (const name of left) yield* aTask(name, state, random);
    // Versions come to an end, and a round with nothing in it would be followed by another.
    if (state.rolls === before) return;
  }
}

interface Progress {
  size: number;
  versions: string[];
  /** How many tasks there were; makes every edit another one. */
  rolls: number;
}

function* aTask(name: Task["do"], state: Progress, random: Random): Iterable<Task> {
  const next = state.versions[0];
  if (name === "upgrade" && next === undefined) return;
  state.rolls += 1;
  switch (name) {
    case "scale":
      state.size = random.pick(SIZES.filter((size) => size !== state.size)) ?? state.size;
      yield { do: name, to: state.size };
      return;
    case "roll":
      yield { do: name, cpu: `${10 + state.rolls}m` };
      return;
    case "upgrade":
      state.versions.shift();
      yield { do: name, to: next ?? "" };
      return;
    case "restore":
      yield { do: name, afterMs: 1_000 + random.int(6_000) };
      return;
    case "lose-disk":
    case "delete-pod":
      if (state.size < SPARES_A_DISK) {
        state.size = SPARES_A_DISK;
        yield { do: "scale", to: state.size };
      }
      yield { do: name, who: random.pick(["leader", "follower"] as const) ?? "leader" };
  }
}

function aTrouble(name: Trouble["do"], whom: readonly Who[], random: Random): Trouble {
  const who = random.pick(whom) ?? "leader";
  switch (name) {
    case "kill":
      return { do: name, who };
    case "freeze":
      return { do: name, who, forMs: 500 + random.int(LONGEST_FREEZE_MS) };
    case "cut-off":
      if (who !== "all" && random.chance(0.2)) return { do: name, who, forMs: LOST_MS };
      return { do: name, who, forMs: 500 + random.int(LONGEST_CUT_MS) };
    case "part":
      return { do: name, forMs: 1_000 + random.int(LONGEST_CUT_MS) };
    case "compact":
      return { do: name, keeps: random.int(200) };
  }
}

function anOutage(name: Outage["do"], random: Random): Outage {
  return name === "freeze-operator" ? { do: name, forMs: 1_000 + random.int(LONGEST_CUT_MS) } : { do: name };
}

function shuffled<Thing>(things: readonly Thing[], random: Random): readonly Thing[] {
  const left = [...things];
  return things.flatMap(() => left.splice(random.int(left.length), 1));
}
