import { FINALIZER } from "../finalizer.ts";
import type { Rule } from "../situation.ts";

/** Whatever is wrong with it: nothing may keep an object from going. What it has in the store stays there. */
export const finishDeletion: Rule = ({ seen }) => {
  const { deletionTimestamp, finalizers = [] } = seen.backup.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const reason = "Deleting";
  if (seen.run) return { kind: "drop-run", reason, message: "The EtcdBackup is being deleted: cancelling its run" };
  if (seen.drill)
    return { kind: "drop-drill", reason, message: "The EtcdBackup is being deleted: cancelling its drill" };
  if (finalizers.includes(FINALIZER)) {
    return { kind: "remove-finalizer", reason, message: "The EtcdBackup is being deleted: removing its finalizer" };
  }
  return { kind: "hold", reason, message: "The EtcdBackup is being deleted" };
};
