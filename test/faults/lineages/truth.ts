import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Ledger } from "./ledger.ts";

/** Longer than an election, a restart and the next look of the operator take together. */
const PATIENCE_MS = 60_000;
const PACE_MS = 5_000;

type Scene = Pick<Stage, "cluster" | "time">;

/** Whether the status says that clients can write while none of them could for a while. */
export class Truth {
  readonly #scene: Scene;
  readonly #ledger: Pick<Ledger, "writes">;
  readonly #timer: NodeJS.Timeout;
  readonly #found: string[] = [];
  #since: { readonly uid: string | undefined; readonly atMs: number } | undefined;

  constructor(scene: Scene, ledger: Pick<Ledger, "writes">) {
    this.#scene = scene;
    this.#ledger = ledger;
    this.#timer = setInterval(() => this.#look(), PACE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  get found(): readonly string[] {
    return this.#found.slice(0, 1);
  }

  #look(): void {
    const { cluster, time } = this.#scene;
    if (!cluster || !isAvailable(cluster)) {
      this.#since = undefined;
      return;
    }
    // What an earlier object said is not this one's word.
    if (this.#since?.uid !== cluster.metadata.uid) this.#since = { uid: cluster.metadata.uid, atMs: time.elapsedMs };
    const lastMs = Math.max(this.#since?.atMs ?? 0, this.#ledger.writes.at(-1)?.atMs ?? 0);
    if (time.elapsedMs - lastMs <= PATIENCE_MS) return;
    this.#found.push(
      `Available has been True for ${(time.elapsedMs - lastMs) / 1000} s in which no client could write`,
    );
  }
}

export function isAvailable(cluster: EtcdCluster): boolean {
  return conditionOf(cluster, "Available")?.status === "True";
}
