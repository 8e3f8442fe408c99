import { failuresOf, type Judged } from "../checks/judge.ts";
import { type Outcome, runWorkload } from "../workloads/run-workload.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";
import { Admission } from "./admission.ts";
import type { AdmissionPlay } from "./plays.ts";
import type { Webhook } from "./webhook.ts";

const REFUSED_MS = 120_000;
const PASSING_MS = 300_000;
/** Within this long the status has to say what is refused. */
const TOLD_MS = 30_000;

/** Plays it, and says what was not as it should be. */
export async function played(play: AdmissionPlay, seed: number) {
  const calm = await calmRun(play.workload, seed);
  if (calm.missing.length > 0)
    throw new Error(`not even where nothing is in the way is it done: ${calm.missing.join()}`);
  const admission = new Admission();
  const { outcome, wrong } = await runWith(admission, play, seed);
  const failures = play.webhook
    ? [...failuresOf(withoutEnd(calm), withoutEnd(outcome)), ...restarted(calm, outcome, play.webhook)]
    : failuresOf(withoutLateWrites(calm), withoutLateWrites(outcome));
  return { failures: [...wrong, ...failures], convergenceMs: outcome.convergenceMs };
}

async function runWith(admission: Admission, { workload, webhook, passing, refusal }: AdmissionPlay, seed: number) {
  admission.webhook = webhook;
  const { view } = admission;
  if (webhook) {
    const outcome = await runWorkload(workload, { seed, view });
    return { outcome, wrong: never(admission.changed > 0, "the webhook changed something") };
  }
  const untold: string[] = [];
  const during = async (stage: Stage) => {
    Object.assign(admission, { webhook: passing, refusal });
    setTimeout(
      () => Object.assign(admission, { webhook: undefined, refusal: undefined }),
      passing ? PASSING_MS : REFUSED_MS,
    );
    if (refusal && !(await isTold(stage, admission, refusal.told)))
      untold.push(`the status never said ${refusal.told}, but ${stage.cluster?.status?.reason}`);
  };
  const outcome = await runWorkload(actingIn(workload, during), { seed, view });
  const hasHappened = passing ? admission.changed > 0 : admission.refused > 0;
  return { outcome, wrong: [...never(hasHappened, "something was refused or changed"), ...untold] };
}

async function isTold({ time, objects }: Stage, admission: Admission, told: RegExp): Promise<boolean> {
  await time.until(() => admission.refused > 0, REFUSED_MS);
  const says = () =>
    ["etcdclusters", "etcdrestores"].some((plural) => told.test(JSON.stringify(objects.named(plural))));
  return admission.refused === 0 || time.until(says, TOLD_MS);
}

/** What happens begins with what the user does. */
function actingIn(workload: Workload, during: (stage: Stage) => Promise<void>): Workload {
  const act = async (stage: Stage) => {
    const told = during(stage);
    await workload.act(stage);
    await told;
  };
  return { ...workload, act };
}

/** What a webhook has changed differs in the end; as many objects come and go. */
function withoutEnd(outcome: Outcome): Judged {
  return { ...outcome, endState: [] };
}

/** While no member could be stopped, clients wrote on beyond what was saved. */
function withoutLateWrites({ endState, ...outcome }: Outcome): Judged {
  return { ...outcome, endState: endState.filter((line) => !line.includes(".status.restore.allSaved = ")) };
}

/** Processes of etcd that were started, the first time and again. */
function restarted(calm: Outcome, { starts }: Outcome, { restarts }: Webhook): readonly string[] {
  const isRight = starts === calm.starts || (restarts && starts <= 2 * calm.starts);
  return isRight ? [] : [`etcd was started ${starts} times instead of ${calm.starts}`];
}

function never(hasHappened: boolean, what: string): readonly string[] {
  return hasHappened ? [] : [`never happened: ${what}`];
}

const known = new Map<string, Promise<Outcome>>();

/** The run without anything in the way, that all others are measured by. */
async function calmRun(workload: Workload, seed: number): Promise<Outcome> {
  const key = `${workload.name} ${seed}`;
  const run = known.get(key) ?? runWorkload(workload, { seed });
  known.set(key, run);
  return run;
}
