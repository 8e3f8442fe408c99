import { failuresOf } from "../checks/judge.ts";
import type { Plan, PlanResult, Suite } from "../plan.ts";
import type { Fault } from "../transport/fault.ts";
import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Workload } from "../workloads/workload.ts";
import { workloads } from "../workloads/workloads.ts";
import { faultsAt } from "./faults-at.ts";
import { placeOf, writePlanOf } from "./write-plan.ts";

/** Every write of every workload goes wrong in every way. */
export const writesSuite: Suite = {
  name: "writes",
  place: "in-process",
  async plans(seed, extent, only = "") {
    const all: Plan[] = [];
    for (const workload of workloadsOf(only, extent)) {
      const { sent } = await calm(workload, seed);
      const named = writePlanOf(only);
      if (named && placeOf(named.place, sent) !== undefined) return [planOf(workload, seed, named.place, named.fault)];
      const at = sent.flatMap((_, index) => (isAnotherTry(sent, index) ? [] : [index]));
      all.push(...at.flatMap((index) => faultsAt(sent, index, seed).map((f) => planOf(workload, seed, index + 1, f))));
    }
    return extent === "full" ? all : all.filter((_, at) => at % QUICK_EVERY === 0);
  },
  async run(plans, tell, signal) {
    for (const plan of plans) {
      if (signal.aborted) return;
      tell(await runPlan(plan));
    }
  },
};

/** A run of each is needed to know its writes: of no more than are asked for, unless that is none. */
function workloadsOf(only: string, extent: "quick" | "full"): readonly Workload[] {
  const wanted = workloads.filter(({ name }) => extent === "full" || QUICK.includes(name));
  const asked = wanted.filter(({ name }) => `${name}/`.startsWith(only) || only.startsWith(`${name}/`));
  return asked.length > 0 ? asked : wanted;
}

/** While etcd says "not yet", the same is tried over and over: the first, the second and the last time are enough. */
function isAnotherTry(sent: readonly string[], at: number): boolean {
  return sent[at] === sent[at - 1] && sent[at] === sent[at - 2] && sent[at] === sent[at + 1];
}

const QUICK = ["create", "replace", "pvc-pod-lost", "backup"];
/** A prime, so that every fault and every write has its turn. */
const QUICK_EVERY = 37;

function planOf({ name }: Workload, seed: number, write: number | string, fault: Fault): Plan {
  return { suite: "writes", name: `${name}/${write}-${fault}`, seed, workload: name };
}

async function runPlan(plan: Plan): Promise<PlanResult> {
  const { workload: name = "", place = "", fault } = writePlanOf(plan.name) ?? {};
  const workload = workloads.find((each) => each.name === name);
  if (!workload || !fault) return { plan, failures: [`there is no plan ${plan.name}`] };
  try {
    const calmly = await calm(workload, plan.seed);
    // A cluster that is unhealthy where nothing fails is no better off where something does.
    const unwell = failuresOf(calmly, calmly);
    if (unwell.length > 0) return { plan, failures: unwell };
    const write = placeOf(place, calmly.sent);
    if (write === undefined) return { plan, failures: [`there is no write ${place}`] };
    const outcome = await runWorkload(workload, { seed: plan.seed, faultAt: { write, fault } });
    const unreached = outcome.sent.length < write ? [`there was no write ${place}`] : [];
    return {
      plan,
      failures: [...unreached, ...failuresOf(calmly, outcome)],
      convergenceMs: outcome.convergenceMs,
    };
  } catch (error) {
    return { plan, failures: [`the run broke off: ${error instanceof Error ? error.stack : error}`] };
  }
}

const known = new Map<string, Promise<Outcome>>();

/** The run without faults that all others are measured by. */
async function calm(workload: Workload, seed: number): Promise<Outcome> {
  const key = `${workload.name} ${seed}`;
  const outcome = known.get(key) ?? runWorkload(workload, { seed });
  known.set(key, outcome);
  return outcome;
}
