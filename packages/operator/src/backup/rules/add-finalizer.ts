import { FINALIZER } from "../finalizer.ts";
import { isPeriodic, type Rule } from "../situation.ts";

/** Before the first run, so that the object does not go while one is under way. */
export const addFinalizer: Rule = (now) => {
  const { finalizers = [] } = now.seen.backup.metadata;
  if (!isPeriodic(now) || finalizers.includes(FINALIZER)) return undefined;
  return {
    kind: "add-finalizer",
    reason: "FinalizerAdded",
    message: `Adding the finalizer '${FINALIZER}' of periodic backups`,
  };
};

/**
 * One that is taken once, after an edit, has nothing to be ended before it is deleted: without an operator it would
 * never be deleted.
 */
export const dropFinalizer: Rule = (now) => {
  const { finalizers = [] } = now.seen.backup.metadata;
  if (isPeriodic(now) || !finalizers.includes(FINALIZER)) return undefined;
  return {
    kind: "remove-finalizer",
    reason: "FinalizerRemoved",
    message: "The EtcdBackup is not periodic any more: removing its finalizer",
  };
};
