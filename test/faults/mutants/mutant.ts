/** A change of one place in the operator's source. */
export interface Patch {
  /** Below `packages/`, such as "operator/src/cluster/model/quorum.ts". */
  readonly file: string;
  /** What stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A bug that an operator had, put into ours for as long as a test runs. */
export interface Mutant {
  readonly name: string;
  /** Whose bug it was, or which hazard of etcd. */
  readonly reference: string;
  /** What the operator does wrong. */
  readonly bug: string;
  /** More than one where the operator guards itself more than once. */
  readonly patches: readonly Patch[];
  /** The plans that have to fail, such as "writes/create/addMember:1-lost-answer". */
  readonly caughtBy: readonly string[];
  /** How long something may take on the virtual clock, where that is not as usual. */
  readonly limitMinutes?: number;
  /** What each of them has to say: it is not enough that something goes wrong. */
  readonly failsWith: RegExp;
}
