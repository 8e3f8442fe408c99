import { type PlanResult, repeatCommand } from "../plan.ts";
import { inWords } from "./in-words.ts";
import type { Finished, PlannedSuite, Score, Trouble } from "./score.ts";

/** What was wrong with a plan, and how to see it again. */
export function toldFailure({ plan, failures, notes = [] }: PlanResult): string {
  const { suite, name, seed } = plan;
  return [
    `FAILED ${suite}/${name}, SEED=${seed}`,
    ...failures.map((failure) => `  - ${indented(failure)}`),
    ...notes.map((note) => `  note: ${indented(note)}`),
    `  plan: ${inJson(plan)}`,
    `  again: ${repeatCommand(plan)}`,
  ].join("\n");
}

export function toldTrouble({ suite, why }: Trouble, seed: number): string {
  return [
    `FAILED ${suite}, SEED=${seed}`,
    `  - ${indented(why)}`,
    `  again: make faults SUITE=${suite} SEED=${seed}`,
  ].join("\n");
}

export function toldLeftOut({ suite, why }: Trouble): string {
  return `left out ${suite}: ${why}`;
}

/** The end of a run: everything that went wrong again, the table, and as the very last the line that scripts read. */
export function summary({ planned, score, tookMs, isInterrupted }: Finished, seed: number, file: string): string {
  const failed = [...score.failed.map(toldFailure), ...score.troubles.map((each) => toldTrouble(each, seed))];
  const count = planned.reduce((sum, { plans }) => sum + plans.length, 0);
  return [
    ...(failed.length > 0 ? ["", "What failed:", ...failed] : []),
    "",
    table(planned, score),
    "",
    ...score.leftOut.map(toldLeftOut),
    ...(isInterrupted ? [`interrupted after ${score.results.length} of ${count} plans`] : []),
    `SEED=${seed}, ${inWords(tookMs)}, results in ${file}`,
    `faults: ${score.results.length} plans, ${score.failures} failures`,
  ].join("\n");
}

/** One row for each workload: what became of its plans, and the worst that was seen. */
function table(planned: readonly PlannedSuite[], score: Score): string {
  const rows = planned.flatMap(({ entry, plans }) =>
    [...new Set(plans.map(({ workload }) => workload))].map((workload) => {
      const isOfRow = ({ plan }: PlanResult) => plan.suite === entry.name && plan.workload === workload;
      const results = score.results.filter(isOfRow);
      return [
        entry.name,
        workload,
        String(results.length),
        String(results.filter(({ failures }) => failures.length > 0).length),
        longest(results.map(({ convergenceMs }) => convergenceMs)),
        longest(results.map(({ writeGapMs }) => writeGapMs)),
        entry.place === "in-process" ? "virtual" : "real",
      ];
    }),
  );
  return inColumns([
    ["suite", "workload", "plans", "failures", "longest convergence", "longest write gap", "time"],
    ...rows,
  ]);
}

/** JSON of anything that can be sent between processes. */
export function inJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each), indent);
}

function longest(spansMs: readonly (number | undefined)[]): string {
  const known = spansMs.filter((ms) => ms !== undefined);
  return known.length === 0 ? "-" : inWords(Math.max(...known));
}

function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => padded(row).trimEnd()).join("\n");
}

function indented(text: string): string {
  return text.trimEnd().replaceAll("\n", "\n    ");
}
