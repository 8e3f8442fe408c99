import { FAULTS, type Fault } from "../transport/fault.ts";

/** Nothing was done, and the operator gets that answer, or none. */
const REFUSALS: readonly Fault[] = ["conflict", "too-many", "error", "lost-request"];
const OTHERS = FAULTS.filter((fault) => !REFUSALS.includes(fault));

/**
 * What goes wrong with a write of a run. After the first of a kind, what the operator makes of a refusal is known:
 * there is one of them for each write, in turns that begin elsewhere with every seed. To be cut off is another matter,
 * for it depends on all that was done before.
 */
export function faultsAt(sent: readonly string[], at: number, seed: number): readonly Fault[] {
  const before = sent.slice(0, at).filter((write) => write === sent[at]).length;
  if (before === 0) return FAULTS;
  return [...OTHERS, ...REFUSALS.slice((before + seed) % REFUSALS.length).slice(0, 1)];
}
