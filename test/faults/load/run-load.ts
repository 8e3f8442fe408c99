import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@etcd-operator/kubernetes-client";
import { diagnosis } from "@etcd-operator/testing/scenario/diagnosis.ts";
import { isRecreated } from "@etcd-operator/testing/scenario/restore/restored.ts";
import type { PlanResult } from "../plan.ts";
import { longestGap } from "./checks/longest-gap.ts";
import { Clients } from "./clients/clients.ts";
import { wrongAtTheEnd } from "./end-checks.ts";
import { keepHistory } from "./history/history-file.ts";
import { toldAttempts } from "./nemesis/attempts.ts";
import { torment } from "./nemesis/nemesis.ts";
import type { LoadPlan } from "./plan.ts";
import { Stage } from "./stage.ts";
import type { LoadWorld } from "./world.ts";

/** Where what a failure left is kept; `make clean` removes it. */
const KEPT = "test/faults/results";

/** Runs one plan to its end, and says what was broken; does not throw. */
export async function runLoad(plan: LoadPlan, world: LoadWorld, signal: AbortSignal): Promise<PlanResult> {
  const stage = new Stage(plan, world);
  const clients = new Clients(stage);
  const crashesBefore = world.crashes.length;
  let convergenceMs: number | undefined;
  const work = async () => {
    await stage.open();
    await clients.start();
    await torment(stage, signal);
    convergenceMs = await converged(stage);
    stage.failures.push(...(await wrongAtTheEnd(stage, clients)));
  };
  try {
    await unlessAborted(signal, work());
  } catch (error) {
    stage.failures.push(messageOf(error));
  }
  stage.failures.push(...world.crashes.slice(crashesBefore), ...(await world.loops.in(stage.namespace)));
  const gap = longestGap(stage.recorder);
  stage.note(`${counted(stage)}; no write was acknowledged from ${gap.fromMs} ms to ${gap.toMs} ms`);
  stage.note(toldAttempts(stage.attempts));
  const kept = stage.failures.length > 0 && !signal.aborted ? await keep(stage) : undefined;
  await Promise.all([clients.stop(), stage.cluster.stopWitnesses(), stage.membership.stop()]);
  // A run that is cancelled takes the entire world down with it.
  if (!signal.aborted) {
    await stage.close().catch((error: Error) => stage.failures.push(error.message));
    stage.failures.push(...(await world.loops.in(stage.namespace)));
  }
  const failures = kept ? [...stage.failures, `all that is known of it: ${kept}`] : stage.failures;
  return { plan, failures, convergenceMs, writeGapMs: gap.toMs - gap.fromMs, notes: stage.notes };
}

/** Waits no longer for what has become pointless; it fails by itself when its world is gone. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  const end = new AbortController();
  const aborted = once(signal, "abort", { signal: end.signal }).then(() => {
    throw new Error("it was told to end");
  });
  aborted.catch(() => undefined);
  try {
    signal.throwIfAborted();
    await Promise.race([work, aborted]);
  } finally {
    end.abort();
  }
}

/** How long it takes until all is as the last spec says, without any more faults. */
async function converged(stage: Stage): Promise<number> {
  stage.note("all troubles are over");
  const began = performance.now();
  // After a restore all may be well already, and the first member is still to get a pod that knows nothing of it.
  if (stage.epoch.number > 0) await isRecreated(stage.cluster);
  await stage.settled();
  await stage.witnesses.at(-1)?.writesAgain();
  stage.note("all is well");
  return Math.round(performance.now() - began);
}

function counted({ recorder: { operations, watches, epochs } }: Stage): string {
  const count = (kind: string) => operations.filter(({ outcome }) => outcome.kind === kind).length;
  const events = watches.reduce((sum, piece) => sum + piece.events.length, 0);
  const answers = `${count("ok")} answered, ${count("unknown")} unknown, ${count("refused")} refused`;
  return `${operations.length} operations: ${answers}; ${events} events in ${watches.length} pieces; ${epochs.length} epochs`;
}

/** What an investigation needs: the history, what was done, and what the cluster looks like. */
async function keep(stage: Stage): Promise<string> {
  const { plan, notes, world, recorder } = stage;
  const place = join(KEPT, `${plan.suite}-${plan.name}-${plan.seed}`);
  await keepHistory(`${place}.history.jsonl`, recorder);
  const seen = await diagnosis(world.local, [world.operator.log]).catch(String);
  await writeFile(`${place}.notes.txt`, [...notes, ...stage.failures, seen].join("\n"));
  return `${place}.history.jsonl, ${place}.notes.txt`;
}
