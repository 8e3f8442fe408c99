import type { BackgroundRuns, RunContext } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { attemptId } from "./attempt.ts";
import type { RunProgress, RunResult, Runs, SeedSeen } from "./observation.ts";

type Kind = keyof Runs;

/** The work outside the reconciles, by attempt: results for the previous spec do not count for an edited one. */
export class RestoreRuns {
  readonly #runs: BackgroundRuns<RunResult, RunProgress>;

  constructor(runs: BackgroundRuns<RunResult, RunProgress>) {
    this.#runs = runs;
  }

  of(key: string, restore: Stored<EtcdRestore>, seed: SeedSeen | undefined): Runs {
    return {
      verify: this.#runs.stateOf(key, nameOf("verify", restore)),
      save: this.#runs.stateOf(key, nameOf("save", restore)),
      push: seed && this.#runs.stateOf(key, nameOf("push", restore, seed)),
    };
  }

  start(
    key: string,
    run: { readonly kind: Kind; readonly restore: Stored<EtcdRestore>; readonly seed?: SeedSeen },
    work: (context: RunContext<RunProgress>) => Promise<RunResult>,
  ): void {
    this.#runs.start(key, nameOf(run.kind, run.restore, run.seed), work);
  }

  /** Cancels the work for a restore, or one piece of it. */
  async drop(key: string, kind?: Kind, restore?: Stored<EtcdRestore>): Promise<void> {
    await this.#runs.drop(key, kind && restore && nameOf(kind, restore));
  }
}

/** A pod that replaces another has received nothing yet. */
function nameOf(kind: Kind, restore: Stored<EtcdRestore>, seed?: SeedSeen): string {
  return [kind, attemptId(restore), ...(seed ? [seed.uid] : [])].join("/");
}
