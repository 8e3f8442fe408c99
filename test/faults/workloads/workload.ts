import type { Stage } from "./stage.ts";

/** Something that a user has the operator do. */
export interface Workload {
  readonly name: string;
  /** Brings about what has to be there before. */
  prepare(stage: Stage): Promise<void>;
  /** What the user does; writes count from here on. */
  act(stage: Stage): Promise<void>;
  /** What is still missing; nothing once it is done. */
  missing(stage: Stage): readonly string[];
}
