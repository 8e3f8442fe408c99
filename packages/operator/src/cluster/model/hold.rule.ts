import type { Rule } from "./situation.ts";

/** The objects of a cluster are deleted with it, by their owner references; a reconcile must not create new ones. */
export const holdWhileDeleted: Rule = ({ seen }) => {
  if (seen.cluster.metadata.deletionTimestamp === undefined) return undefined;
  return { kind: "hold", reason: "Deleting", message: "The cluster is being deleted" };
};

export const holdWhilePaused: Rule = ({ spec }) => {
  if (!spec.paused) return undefined;
  return { kind: "hold", reason: "Paused", message: "spec.paused is set: the operator changes nothing" };
};
