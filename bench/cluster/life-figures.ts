import { type Figure, figure } from "../figure.ts";
import { LEADER_KILLED, type Sample, type Step } from "./lives.ts";
import type { WriteReport } from "./write-tally.ts";

/** What was seen of a step: by the operator, and by hand. */
export interface Seen {
  readonly step: Pick<Step, "name" | "goal" | "writes">;
  readonly ours: readonly Sample[];
  readonly theirs: readonly Sample[];
}

/**
 * Each asks all members and may write something; about ten are needed, and some more to see that it is not time yet.
 */
const PASSES_LIMIT = 100;
const ROLL_GAP_MS = 500;

/** What was seen of all steps, beside what is promised. */
export function lifeFigures(seen: readonly Seen[]): readonly Figure[] {
  const electionMs = longestElectionMs(seen);
  return seen.flatMap((each) => [...durationFigures(each), ...writeFigures(each, electionMs)]);
}

/**
 * Of etcd as we start it: the others wait for one of them, and for as much again at most, before they stand for
 * election.
 */
const ELECTION_TIMEOUT_MS = 1_000;

/**
 * How long a cluster takes no writes at most when its leader is killed, by what etcd says of itself and by what was
 * seen by hand: when exactly it elects another is chance, so any that is within is etcd's own.
 */
function longestElectionMs(seen: readonly Seen[]): number {
  const killed = seen.filter(({ step }) => step.name === LEADER_KILLED).flatMap(({ theirs }) => theirs);
  return Math.max(2 * ELECTION_TIMEOUT_MS, ...killed.flatMap(({ writes }) => (writes ? [writes.longestGapMs] : [])));
}

function durationFigures({ step: { name, goal }, ours, theirs }: Seen): readonly Figure[] {
  const [values = [], byHand = []] = [ours, theirs].map((samples) => samples.map(({ durationMs }) => durationMs));
  // The same chance is in how long that takes, and it cannot be changed, by hand or otherwise.
  const limits = name === LEADER_KILLED ? [Math.max(...byHand)] : byHand;
  const passes = ours.flatMap((sample) => (sample.passes === undefined ? [] : [sample.passes]));
  const duration = figure({ name: `cluster: ${name}`, unit: "ms", values, limits, goal });
  if (passes.length === 0) return [duration];
  const passed = { name: `cluster: ${name}: passes`, unit: "", values: passes, limits: [PASSES_LIMIT], goal: 1 };
  return [duration, figure(passed)];
}

function writeFigures({ step: { name, writes }, ours, theirs }: Seen, electionMs: number): readonly Figure[] {
  const [reports, byHand] = [ours, theirs].map((samples) => samples.flatMap((sample) => sample.writes ?? []));
  if (!writes || !reports || !byHand) return [];
  const gap = figure({
    name: `cluster: ${name}: longest write gap`,
    ...{ unit: "ms", goal: 1, values: reports.map(({ longestGapMs }) => longestGapMs) },
    limits: [writes === "roll" ? ROLL_GAP_MS : electionMs],
  });
  return writes === "roll" ? [gap, failedFigure(name, reports)] : [gap];
}

/** Not one may fail, in no run: so all are counted together. */
function failedFigure(name: string, reports: readonly WriteReport[]): Figure {
  const sum = (count: (report: WriteReport) => number) => reports.reduce((total, report) => total + count(report), 0);
  return figure({
    name: `cluster: ${name}: writes that failed`,
    ...{ unit: "", goal: 0, values: [sum(({ failed }) => failed)], limits: [1] },
    parts: {
      "acknowledged, in all": sum(({ acknowledged }) => acknowledged),
      "acknowledged, in a second": sum(({ perSecond }) => perSecond) / reports.length,
      "sent to another member": sum(({ retries }) => retries),
      "the slowest, in ms": Math.max(...reports.map(({ slowestMs }) => slowestMs)),
    },
  });
}
