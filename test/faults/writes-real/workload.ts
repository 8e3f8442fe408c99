import type { Ground } from "./ground.ts";

/** Something that a user has the operator do. */
export interface RealWorkload {
  readonly name: string;
  /** Workloads on the same kind of ground can be played on one after the other. */
  readonly ground: string;
  /**
   * Brings about what has to be there before, on a ground that is new or on which something else of its kind was done.
   */
  prepare(ground: Ground): Promise<void>;
  act(ground: Ground): Promise<void>;
  /** What is still missing; nothing once it is done. */
  missing(ground: Ground): Promise<readonly string[]>;
  /** Ends what would go on for ever, once nothing is missing. */
  finish?(ground: Ground): Promise<void>;
  /** The names of the writes that go wrong: those that come in every run. */
  readonly writes: readonly string[];
  /** Those of them that go wrong in another workload in every way: only some are drawn here. */
  readonly alike?: readonly string[];
  /** Kinds of which some runs have one and others none. */
  readonly maySend?: readonly string[];
  /** How many clusters are bootstrapped, each with another id; none by default. */
  readonly founds?: number;
  /** Where what was in the cluster before is not in it afterwards. */
  readonly losesData?: boolean;
}
