import type { Situation } from "../model/situation.ts";
import { activeRestore } from "./restoring.rule.ts";

/** What there is to say of a cluster that has been set aside, and of the one that takes its place but is not there yet. */
export function whileRestoring({ now }: { readonly now: Situation }): string | undefined {
  const restore = activeRestore(now.status);
  if (!restore) return undefined;
  const { name, revision, state } = restore;
  switch (state) {
    case "Fencing":
      return `EtcdRestore ${name} restores revision ${revision}: the members that were there are being stopped, and their data is kept`;
    case "Restoring":
      return `EtcdRestore ${name} restores revision ${revision}: the first member is being made from the snapshot`;
    case "RollingBack":
      return `EtcdRestore ${name} was called off: what was there before is coming back`;
    default:
      return undefined;
  }
}
