import type { Damage } from "./disk.ts";
import type { Role } from "./plan.ts";

type Roles = readonly Role[];

/** One thing that is done to a cluster, as data. */
export type Step =
  /** Waits until so many more writes were acknowledged. */
  | { readonly do: "write"; readonly count: number }
  /** Takes pods away while the operator leaves the cluster alone, which it does until it is resumed. */
  | { readonly do: "stop"; readonly who: Roles; readonly isForced: boolean }
  | { readonly do: "resume" }
  /** Signals to the etcd of pods; a kill has the container start again in its pod. */
  | { readonly do: "freeze" | "thaw" | "kill"; readonly who: Roles }
  /**
   * Kills what holds the pod's namespaces, as a reboot does: its init containers run again, and its volumes are the
   * same.
   */
  | { readonly do: "reboot"; readonly who: Roles }
  | { readonly do: "cut-off" | "reconnect"; readonly who: Roles }
  | { readonly do: "damage"; readonly who: Roles; readonly how: Damage }
  /** Copies a volume aside, under a name. */
  | { readonly do: "keep"; readonly who: Role; readonly as: string }
  /** Puts a copy in the place of what is on a volume; only the first part of it if the copying was cut short. */
  | { readonly do: "give"; readonly who: Role; readonly copy: string; readonly part?: number }
  | { readonly do: "swap"; readonly who: readonly [Role, Role] }
  /** Has a second cluster of the same name, in a namespace of its own, and keeps a copy of one of its volumes. */
  | { readonly do: "neighbour"; readonly size: number; readonly as: string }
  | { readonly do: "delete-pods"; readonly who: Roles }
  /** Deletes claims; one that a pod uses goes with the pod. */
  | { readonly do: "delete-claims"; readonly who: Roles }
  /** Makes a claim of the same name, with what was written on the old one or without. */
  | { readonly do: "remake-claims"; readonly who: Roles; readonly notes: "copied" | "unidentified" | "none" }
  /** Deletes the volume behind a claim, which stays. */
  | { readonly do: "delete-volumes"; readonly who: Roles }
  /** Has a volume ready that the next claim will be bound to, with a copy on it. */
  | { readonly do: "offer-volume"; readonly copy: string }
  | { readonly do: "annotate"; readonly on: "pods" | "claims"; readonly who: Roles; readonly notes: Notes }
  | { readonly do: "scale"; readonly to: number }
  /** Waits until a member that joins has begun to run, stops it there, and calls it the newcomer. */
  | { readonly do: "catch-newcomer" }
  /** Waits until all is healthy again, with so many members. */
  | { readonly do: "settle"; readonly size: number }
  | { readonly do: "gone"; readonly who: Roles }
  /** Waits until the operator has written down that a member's log got further than now. */
  | { readonly do: "noted"; readonly who: Roles }
  /** The loss of the majority must be reported, with these names, and nothing may be done about it. */
  | { readonly do: "loss-is-told"; readonly who: Roles }
  /** For so long no promise may be broken, in whatever elections. */
  | { readonly do: "wait-for-harm"; readonly forMs: number }
  | { readonly do: "backup" }
  /** Restores as docs/operations describes; from the backup, or from a surviving member. */
  | { readonly do: "restore"; readonly from: "backup" | "survivor" }
  /** Waits until the restored first member runs, and stops it there. */
  | { readonly do: "catch-restored" }
  /** The restore fails and reports so, after it saved the previous data; that is then restored, as a second one. */
  | { readonly do: "restore-fails" }
  | { readonly do: "restored"; readonly isSecond?: true }
  /** Deletes the EtcdCluster, and creates it again. */
  | { readonly do: "recreate-cluster" };

/** Values of our annotations, by their short names; those of another member by its role, null to take one away. */
export type Notes = Readonly<Record<string, string | null | { readonly of: Role } | "every-member">>;

export const write = (count: number): Step => ({ do: "write", count });
export const stop = (...who: Role[]): Step => ({ do: "stop", who, isForced: false });
export const crash = (...who: Role[]): Step => ({ do: "stop", who, isForced: true });
export const resume: Step = { do: "resume" };
export const freeze = (...who: Role[]): Step => ({ do: "freeze", who });
export const thaw = (...who: Role[]): Step => ({ do: "thaw", who });
export const kill = (...who: Role[]): Step => ({ do: "kill", who });
export const reboot = (...who: Role[]): Step => ({ do: "reboot", who });
export const cutOff = (...who: Role[]): Step => ({ do: "cut-off", who });
export const reconnect = (...who: Role[]): Step => ({ do: "reconnect", who });
export const damage = (how: Damage, ...who: Role[]): Step => ({ do: "damage", who, how });
export const keep = (who: Role, as: string): Step => ({ do: "keep", who, as });
export const give = (who: Role, copy: string, part?: number): Step => ({
  do: "give",
  who,
  copy,
  ...(part !== undefined && { part }),
});
export const swap = (one: Role, other: Role): Step => ({ do: "swap", who: [one, other] });
export const deletePods = (...who: Role[]): Step => ({ do: "delete-pods", who });
export const deleteClaims = (...who: Role[]): Step => ({ do: "delete-claims", who });
export const deleteVolumes = (...who: Role[]): Step => ({ do: "delete-volumes", who });
export const annotate = (on: "pods" | "claims", notes: Notes, ...who: Role[]): Step => ({
  do: "annotate",
  on,
  who,
  notes,
});
export const scale = (to: number): Step => ({ do: "scale", to });
export const settle = (size: number): Step => ({ do: "settle", size });
export const gone = (...who: Role[]): Step => ({ do: "gone", who });
export const noted = (...who: Role[]): Step => ({ do: "noted", who });
export const lossIsTold = (...who: Role[]): Step => ({ do: "loss-is-told", who });
export const waitForHarm = (forMs: number): Step => ({ do: "wait-for-harm", forMs });
