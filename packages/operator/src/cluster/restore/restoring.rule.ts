import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";

export type RestoreStatus = NonNullable<EtcdClusterStatus["restore"]>;

/** While one of these, the previous cluster is set aside. */
const ACTIVE: readonly RestoreStatus["state"][] = ["Fencing", "Restoring", "Joining", "RollingBack"];
/** While one of these, no restored cluster is recorded: it can be cancelled. */
const UNDECIDED: readonly RestoreStatus["state"][] = ["Fencing", "Restoring"];

type Made = { readonly incarnation: number | undefined };
type Notes = Pick<EtcdClusterStatus, "restore" | "incarnation">;

/** The restore that this cluster is going through, or coming back from. */
export function activeRestore({ restore }: Notes): RestoreStatus | undefined {
  return restore && ACTIVE.includes(restore.state) ? restore : undefined;
}

/** The restore whose cluster is yet to come. */
export function undecidedRestore({ restore }: Notes): RestoreStatus | undefined {
  return restore && UNDECIDED.includes(restore.state) ? restore : undefined;
}

/**
 * Whether a pod or a claim belongs to the cluster that a restore replaces: no member and no stray, and kept until the
 * restored cluster is complete. What coreos/etcd-operator made has no incarnation, and is older than any of ours.
 */
export function isSetAside({ incarnation = 0 }: Made, status: Notes = {}): boolean {
  const active = activeRestore(status);
  return active !== undefined && incarnation < active.incarnation;
}

/**
 * Whether all that the replaced cluster acknowledged is in a store, as its last member reported. Until
 * then only a person deletes it.
 */
export function hasAllSaved({ saved, allSaved }: RestoreStatus): boolean {
  return saved === true && allSaved === true;
}

/**
 * Whether a pod or a claim was set aside by a restore whose members may have what is in no store: only a person can
 * decide to do without it.
 */
export function isKept({ incarnation = 0 }: Made, { restore }: Notes): boolean {
  return incarnation < (restore?.keepsClaimsBelow ?? 0);
}

/** The number of the next attempt to bootstrap or restore the cluster; never that of an earlier one. */
export function nextIncarnation(status: Notes, made: readonly Made[] = []): number {
  const { restore, incarnation = 0 } = status;
  const undecided = undecidedRestore(status);
  // Of a restore under way the first attempt has the number that was set apart for it; those that are over have used
  // theirs up.
  const reserved = undecided ? undecided.incarnation - 1 : (restore?.incarnation ?? 0);
  return Math.max(incarnation, reserved, ...made.map((each) => each.incarnation ?? 0)) + 1;
}
