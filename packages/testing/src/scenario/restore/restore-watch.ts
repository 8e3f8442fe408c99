import { setTimeout as pause } from "node:timers/promises";
import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterUnderTest } from "../cluster/cluster-under-test.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";

/**
 * Watches a cluster while it is being restored: no two clusters answer under its name, and what holds the old data
 * stays until all members of the restored one vote.
 */
export class RestoreWatch {
  readonly #scenario: ClusterScenario;
  readonly #cluster: ClusterUnderTest;
  readonly #keepsClaims: boolean;
  readonly #old: readonly Stored<KubeObject>[];
  readonly #violations: string[] = [];
  #looks = 0;
  #isOver = false;
  #work: Promise<void> | undefined;

  /** To be called before the restore. */
  static async start(scenario: ClusterScenario, cluster: ClusterUnderTest): Promise<RestoreWatch> {
    const claims = await cluster.claims();
    const watch = new RestoreWatch(
      scenario,
      cluster,
      claims.length > 0 ? claims : await cluster.pods(),
      claims.length > 0,
    );
    watch.#work = watch.#keepOn();
    return watch;
  }

  private constructor(
    scenario: ClusterScenario,
    cluster: ClusterUnderTest,
    old: readonly Stored<KubeObject>[],
    keepsClaims: boolean,
  ) {
    this.#scenario = scenario;
    this.#cluster = cluster;
    this.#old = old;
    this.#keepsClaims = keepsClaims;
  }

  /** Throws when anything was as it must not be. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#work;
    if (this.#looks === 0) throw new Error(`no check succeeded of ${this.#cluster.name}`);
    if (this.#violations.length > 0) throw new Error([...new Set(this.#violations)].join("\n"));
  }

  async #keepOn(): Promise<void> {
    while (!this.#isOver) {
      await this.#look().catch((error: Error) => this.#violations.push(`the watch itself failed: ${error.message}`));
      await pause(50);
    }
  }

  async #look(): Promise<void> {
    const ids = new Set((await this.#cluster.answers()).map(({ status }) => status.clusterId.toString(16)));
    if (ids.size > 1) this.#violations.push(`${[...ids].join(" and ")} answered at the same time`);
    const gone = await this.#gone();
    if (gone.length > 0) await this.#mustBeWhole(gone);
    this.#looks += 1;
  }

  async #gone(): Promise<readonly string[]> {
    const resource = this.#keepsClaims ? resources.persistentVolumeClaims : resources.pods;
    const { items } = await this.#scenario.client.list<KubeObject>(resource, { namespace: this.#cluster.namespace });
    const isThere = ({ metadata: { uid } }: Stored<KubeObject>) =>
      items.some(({ metadata }) => metadata.uid === uid && !metadata.deletionTimestamp);
    return this.#old.filter((each) => !isThere(each)).map(({ metadata }) => metadata.name);
  }

  /** Once complete, it stays so: a rollout afterwards never leaves fewer voters. */
  async #mustBeWhole(gone: readonly string[]): Promise<void> {
    const { spec, status } = await this.#cluster.get();
    const voters = (await this.#cluster.members()).filter(({ isLearner }) => !isLearner);
    const isWhole = voters.length >= spec.size && ["Joining", "Done"].includes(status?.restore?.state ?? "");
    if (isWhole) return;
    const state = status?.restore?.state;
    this.#violations.push(`${gone.join(", ")} went while ${voters.length} of ${spec.size} voted (${state})`);
  }
}
