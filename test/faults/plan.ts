/** One thing to try, which its suite, its name and its seed describe wholly. */
export interface Plan {
  readonly suite: string;
  /** Unique within its suite, such as "create/17-crash-after". */
  readonly name: string;
  readonly seed: number;
  /** The row of the table that it counts for, such as "create". */
  readonly workload: string;
}

export interface PlanResult {
  readonly plan: Plan;
  /** What was not as it should be; none where all was well. */
  readonly failures: readonly string[];
  /**
   * From the moment of the fault, or of the change, to the last write that followed; virtual or real, as the suite's
   * time is.
   */
  readonly convergenceMs?: number | undefined;
  /** The longest time for which a client could not write. */
  readonly writeGapMs?: number | undefined;
  /** What helps to analyse a failure, and is printed with it. */
  readonly notes?: readonly string[] | undefined;
}

/** Plans of one kind, and how they are run. */
export interface Suite {
  readonly name: string;
  /**
   * In this process on virtual time, one at a time in each of several processes; or on a local mode, whose owner runs
   * several at a time.
   */
  readonly place: "in-process" | "local-mode";
  /**
   * All of them, or for "quick" the part that every `make test` runs. Those whose names do not begin with `only` are
   * not needed; what costs nothing to make may be among them all the same.
   */
  plans(seed: number, extent: "quick" | "full", only?: string): Promise<readonly Plan[]>;
  /** Runs plans of this suite and reports each result as it comes; does not throw for a plan that fails. */
  run(plans: readonly Plan[], tell: (result: PlanResult) => void, signal: AbortSignal): Promise<void>;
}

/** The one command that repeats a plan. */
export function repeatCommand({ suite, name, seed }: Plan): string {
  return `make faults ONLY='${suite}/${name}' SEED=${seed}`;
}
