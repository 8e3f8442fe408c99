import type { Refusal } from "@etcd-operator/operator/cluster/guard/refusal.ts";
import type { Plan } from "../plan.ts";
import type { Step } from "./step.ts";

/**
 * A member by the part it plays, as it was when the plan began: one leads, the others follow; a newcomer was seen to
 * join later.
 */
export type Role = "leader" | "follower" | "other" | "third" | "fourth" | "newcomer";

/**
 * One story of a cluster whose disks are not what they were; a value, so that it can be listed, chosen and repeated.
 */
export interface AmnesiaPlan extends Plan {
  readonly size: number;
  /** Data on claims; in the pods otherwise. */
  readonly claims: boolean;
  readonly settings?: ClusterSettings;
  /** Before the cluster is bootstrapped, and without a client that writes; else once it is ready and written to. */
  readonly beginsAtOnce?: true;
  readonly steps: readonly Step[];
  readonly expect: Expected;
}

export interface ClusterSettings {
  readonly version?: string;
  readonly bootstrap?: "Sequential" | "Parallel";
  /** A member saves its log after so many entries; etcd's own number otherwise. */
  readonly snapshotCount?: number;
  /** How long a member may be away before another takes its place. */
  readonly replaceAfterSeconds?: number;
  readonly whenScaled?: "Retain" | "Delete";
}

/**
 * What must be so when all is over. Beyond it, of every plan: no acknowledged write is lost, members agree, nothing is
 * left over.
 */
export interface Expected {
  /** How many members there are in the end; as many as at first by default. */
  readonly size?: number;
  /** Whose place others have taken. */
  readonly replaced?: readonly Role[];
  /** Which ones are still the same member, by id. */
  readonly kept?: readonly Role[];
  /** What the guard must have said of some directory. */
  readonly refusals?: readonly Refusal[];
  /** What the status must have said at some time, as a part of a condition's reason or message. */
  readonly told?: readonly string[];
  /** The cluster may have got another id, once for each restore. */
  readonly restores?: number;
  /**
   * A container that restarts in its pod passes no guard: it may run on another member's data until the operator
   * notices that.
   */
  readonly foreignStarts?: true;
  /**
   * The newcomer, and no other, may begin again with nothing: it bootstraps a cluster that no client knows
   * yet, or has no vote yet.
   */
  readonly beginsAgain?: true;
  /**
   * So many claims without a member must stay, by the spec or because only a person may delete them; none by default.
   */
  readonly claimsLeft?: number;
}
