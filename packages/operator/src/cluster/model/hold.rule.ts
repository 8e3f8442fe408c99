import type { Rule } from "./situation.ts";

/** What belongs to a cluster goes with it, by its owner references; a pass that still made something would make it for nobody. */
export const holdWhileDeleted: Rule = ({ seen }) => {
  if (seen.cluster.metadata.deletionTimestamp === undefined) return undefined;
  return { kind: "hold", reason: "Deleting", message: "The cluster is being deleted" };
};

export const holdWhilePaused: Rule = ({ spec }) => {
  if (!spec.paused) return undefined;
  return { kind: "hold", reason: "Paused", message: "spec.paused is set: the operator watches and changes nothing" };
};
