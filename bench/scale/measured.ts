import { setTimeout as pause } from "node:timers/promises";
import { repetitions } from "../repetitions.ts";
import { type Changes, changes } from "./changes.ts";
import { type Idle, idle, type Windows } from "./idle.ts";
import { type Restarted, restart } from "./restart.ts";
import type { Stage } from "./stage.ts";

/** What was found with so many clusters. */
export interface Measured {
  readonly clusters: number;
  /** From the start of the process until it had looked at every cluster, start by start; and its processor time. */
  readonly reconciledMs: readonly number[];
  readonly startCpuMs: readonly number[];
  readonly idle: Idle;
  /** Round by round. */
  readonly changing: readonly Changes[];
  /** The most memory that it ever had, from its start to the end of the changes. */
  readonly mostMemoryMib: number;
}

/** How thoroughly to look. */
export interface Care {
  readonly starts: number;
  readonly idle: Windows;
  readonly changes: { readonly seconds: number; readonly rounds: number };
}

/**
 * What the start left behind is collected, and what an idle operator does is compiled, in the first minute after it;
 * one that is idle is so for longer.
 */
const SETTLE_MS = repetitions(45_000, 10_000);

/** Lets the fleet grow to so many clusters, starts the operator, watches it idle and then while some of them change. */
export async function measured(stage: Stage, clusters: number, care: Care): Promise<Measured> {
  const say = sayer(clusters);
  await stage.growTo(clusters);
  say("seeded");
  const [earlier, { operator, reconciledMs, cpuMs }] = await starts(stage, care.starts);
  try {
    say("reconciled");
    await pause(SETTLE_MS);
    const quiet = await idle(stage, operator, care.idle);
    say("watched while idle");
    const changing: Changes[] = [];
    while (changing.length < care.changes.rounds) changing.push(await changes(stage, operator, care.changes.seconds));
    say("changed");
    return {
      clusters,
      reconciledMs: [...earlier.map((each) => each.reconciledMs), reconciledMs],
      startCpuMs: [...earlier.map((each) => each.cpuMs), cpuMs],
      idle: quiet,
      changing,
      mostMemoryMib: await operator.mostResidentMib(),
    };
  } finally {
    await operator.stop();
  }
}

/** Starts it so many times; only the last one still runs. */
async function starts(stage: Stage, times: number): Promise<[earlier: readonly Restarted[], last: Restarted]> {
  const earlier: Restarted[] = [];
  while (earlier.length < times - 1) {
    const started = await restart(stage);
    earlier.push(started);
    await started.operator.stop();
  }
  return [earlier, await restart(stage)];
}

function sayer(clusters: number): (what: string) => void {
  const startedAt = performance.now();
  return (what) => {
    const seconds = (performance.now() - startedAt) / 1000;
    process.stderr.write(`  ${clusters.toLocaleString("en-US")} clusters: ${what} after ${seconds.toFixed(1)} s\n`);
  };
}
