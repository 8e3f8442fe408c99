import { failuresOf } from "../checks/judge.ts";
import type { Plan, PlanResult, Suite } from "../plan.ts";
import { FAULTS, type Fault } from "../transport/fault.ts";
import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Workload } from "../workloads/workload.ts";
import { workloads } from "../workloads/workloads.ts";

/** Every write of every workload goes wrong in every way. */
export const writesSuite: Suite = {
  name: "writes",
  place: "in-process",
  async plans(seed, extent) {
    const all: Plan[] = [];
    for (const workload of workloads) {
      const { sent } = await calm(workload, seed);
      const at = sent.flatMap((_, index) => (isAnotherTry(sent, index) ? [] : [index + 1]));
      all.push(...at.flatMap((write) => FAULTS.map((fault) => planOf(workload, seed, write, fault))));
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

/** While etcd says "not yet", the same is tried over and over: the first, the second and the last time are enough. */
function isAnotherTry(sent: readonly string[], at: number): boolean {
  return sent[at] === sent[at - 1] && sent[at] === sent[at - 2] && sent[at] === sent[at + 1];
}

/** A prime, so that every fault and every write has its turn. */
const QUICK_EVERY = 29;

function planOf({ name }: Workload, seed: number, write: number, fault: Fault): Plan {
  return { suite: "writes", name: `${name}/${write}-${fault}`, seed, workload: name };
}

async function runPlan(plan: Plan): Promise<PlanResult> {
  const [name = "", where = ""] = plan.name.split("/");
  const [write = "", ...fault] = where.split("-");
  const workload = workloads.find((each) => each.name === name);
  if (!workload) return { plan, failures: [`there is no workload ${name}`] };
  const faultAt = { write: Number(write), fault: fault.join("-") as Fault };
  try {
    const outcome = await runWorkload(workload, { seed: plan.seed, faultAt });
    const unreached = outcome.sent.length < faultAt.write ? [`there was no write ${write}`] : [];
    const failures = [...unreached, ...failuresOf(await calm(workload, plan.seed), outcome)];
    return { plan, failures, convergenceMs: outcome.convergenceMs };
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
