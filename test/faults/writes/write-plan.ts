import { FAULTS, type Fault } from "../transport/fault.ts";

/** What the name of a plan says. */
export interface WritePlan {
  readonly workload: string;
  /** Which write, as `placeOf` finds it. */
  readonly place: string;
  readonly fault: Fault;
}

/** Such as "create/17-crash-after" or "create/addMember:2-lost-answer"; undefined for anything else. */
export function writePlanOf(name: string): WritePlan | undefined {
  const [workload = "", ...rest] = name.split("/");
  const where = rest.join("/");
  const fault = FAULTS.find((each) => where.endsWith(`-${each}`));
  return fault && { workload, place: where.slice(0, -fault.length - 1), fault };
}

/**
 * The number of a write, the first being 1: "17", or the second of its kind, "addMember:2", which stays the same when
 * the operator comes to write something else before it. Undefined where there is none.
 */
export function placeOf(place: string, sent: readonly string[]): number | undefined {
  if (/^\d+$/.test(place)) return sent[Number(place) - 1] === undefined ? undefined : Number(place);
  const [, kind, count] = /^(.+):(\d+)$/.exec(place) ?? [];
  const ofKind = sent.flatMap((each, at) => (each === kind ? [at + 1] : []));
  return ofKind[Number(count) - 1];
}
