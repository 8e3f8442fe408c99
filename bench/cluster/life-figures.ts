import { type Figure, figure } from "../figure.ts";
import { LEADER_KILLED, type Sample, type Step } from "./lives.ts";
import type { WriteReport } from "./write-tally.ts";

/** What was seen of a step: by the operator, and by hand. */
export interface Seen {
  readonly step: Pick<Step, "name" | "goal" | "writes">;
  readonly ours: readonly Sample[];
  readonly theirs: readonly Sample[];
}

/** Each asks all members and may write something; about ten are needed, and some more to see that it is not time yet. */
const PASSES_LIMIT = 100;
const ROLL_GAP_MS = 500;

/** What was seen of all steps, beside what is promised. */
export function lifeFigures(seen: readonly Seen[]): readonly Figure[] {
  const electionMs = longestElectionMs(seen);
  return seen.flatMap((each) => [...durationFigures(each), ...writeFigures(each, electionMs)]);
}

/**
 * How long a cluster by hand takes no writes when its leader is killed, at most: an election takes between one and two of etcd's timeouts, by
 * chance, so any that is within is etcd's own.
 */
function longestElectionMs(seen: readonly Seen[]): number {
  const killed = seen.filter(({ step }) => step.name === LEADER_KILLED).flatMap(({ theirs }) => theirs);
  return Math.max(...killed.flatMap(({ writes }) => (writes ? [writes.longestGapMs] : [])));
}

function durationFigures({ step: { name, goal }, ours, theirs }: Seen): readonly Figure[] {
  const [values, limits] = [ours, theirs].map((samples) => samples.map(({ durationMs }) => durationMs));
  const passes = ours.flatMap((sample) => (sample.passes === undefined ? [] : [sample.passes]));
  const duration = figure({ name: `cluster: ${name}`, unit: "ms", values: values ?? [], limits: limits ?? [], goal });
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
