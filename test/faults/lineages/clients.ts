import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { clientServiceName } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdProcess } from "../model/etcd/etcd-process.ts";
import { CLUSTER, type Stage } from "../workloads/stage.ts";
import type { Ledger } from "./ledger.ts";

const PACE_MS = 2_000;
const TIMEOUT_MS = 1_000;

type Scene = Pick<Stage, "objects" | "machine" | "time">;

/** A client that writes through the cluster's Service, to whichever pod it leads, one key after the other. */
export class Clients {
  readonly #scene: Scene;
  readonly #ledger: Ledger;
  readonly #timer: NodeJS.Timeout;
  readonly #mixed = new Set<string>();
  #count = 0;

  constructor(scene: Scene, ledger: Ledger) {
    this.#scene = scene;
    this.#ledger = ledger;
    this.#timer = setInterval(() => void this.#write(), PACE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Moments at which the Service led to two clusters: what one client wrote, another did not find. */
  get mixed(): readonly string[] {
    return [...this.#mixed];
  }

  async #write(): Promise<void> {
    const reached = behindService(this.#scene);
    const ids = new Set(reached.map(({ data }) => hex(data.clusterId)));
    if (ids.size > 1) this.#mixed.add(`the client Service leads to the clusters ${[...ids].sort().join(" and ")}`);
    const process = reached[this.#count % Math.max(1, reached.length)];
    this.#count += 1;
    if (!process) return;
    const key = `w/${this.#count}`;
    const client = this.#scene.machine.connect({ address: `${process.launch.ip}:2379` });
    try {
      const { revision } = await client.put({ key, value: key }, { timeoutMs: TIMEOUT_MS });
      const clusterId = hex(process.data.clusterId);
      this.#ledger.add({ key, clusterId, revision: Number(revision), atMs: this.#scene.time.elapsedMs });
    } catch {
      // Without an answer it knows nothing, and goes on with the next key.
    } finally {
      client.close();
    }
  }
}

/** The etcds to which the client Service leads: those in pods that it selects and that are ready. */
export function behindService({ objects, machine }: Scene): readonly EtcdProcess[] {
  const service = objects.of(resources.services).find(({ metadata }) => metadata.name === clientServiceName(CLUSTER));
  const selector = Object.entries(service?.spec?.selector ?? {});
  if (selector.length === 0) return [];
  return objects
    .of(resources.pods)
    .filter((pod) => isReady(pod) && selector.every(([key, value]) => pod.metadata.labels?.[key] === value))
    .flatMap(({ metadata }) => machine.etcd.processOf(metadata.name) ?? [])
    .filter((process) => process.phase === "running" && process.isServing);
}

function isReady({ metadata, status }: Stored<Pod>): boolean {
  const isGoing = metadata.deletionTimestamp !== undefined;
  return !isGoing && (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");
}

export function hex(clusterId: bigint): string {
  return clusterId.toString(16);
}
