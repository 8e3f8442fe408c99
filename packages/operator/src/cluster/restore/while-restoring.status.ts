import type { Situation } from "../model/situation.ts";
import { activeRestore } from "./restoring.rule.ts";

/**
 * The status of a cluster that has been set aside, and of the one that replaces it but is not ready yet.
 */
export function whileRestoring({ now }: { readonly now: Situation }): string | undefined {
  const restore = activeRestore(now.status);
  if (!restore) return undefined;
  const { name, revision, state } = restore;
  switch (state) {
    case "Fencing":
      return `EtcdRestore ${name}, revision ${revision}: stopping the previous members; their data is kept`;
    case "Restoring":
      return `EtcdRestore ${name}, revision ${revision}: creating the first member from the snapshot`;
    case "RollingBack":
      return `EtcdRestore ${name} was cancelled: rolling back to the previous cluster`;
    default:
      return undefined;
  }
}
