import type { PodCondition } from "kubernetes-types/core/v1.d.ts";

/** The condition that tells of a pod's end why it came from outside. */
export function disruptionTarget(why: { reason: string; message: string }, nowMs: number): PodCondition {
  const now = new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
  return { type: "DisruptionTarget", status: "True", ...why, lastTransitionTime: now };
}
