import type { Fence } from "@etcd-operator/controller-runtime";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { type Clock, pause, podTrouble, resources } from "@etcd-operator/kubernetes-client";
import type { ContainerStatus, Pod, Secret } from "kubernetes-types/core/v1.d.ts";
import { CLIENT_PORT } from "../../api/cluster/cluster-names.ts";
import { RECEIVE_CONTAINER } from "../../transfer/names.ts";
import { useWorker } from "../../transfer/pods/abandoned-workers.ts";
import { type OwnedPods, type PodRemover, removeOwnedPods, removePod } from "../../transfer/pods/owned-pods.ts";
import { pushSnapshot } from "../../transfer/push-snapshot.ts";
import type { Connect } from "../../transfer/snapshot/choose-member.ts";
import { TRANSFER_FILES } from "../../transfer/transfer-files.ts";
import { endpointOf, makeTransferSecret } from "../../transfer/trust/transfer-secret.ts";
import { DRILL_LABELS } from "../objects/drill-pod.ts";

export interface DrillDeps {
  readonly client: Pick<KubeClient, "get" | "list" | "create" | "delete">;
  readonly clock: Clock;
  readonly fence: Fence;
  /** For tests, which have no kubelet. */
  readonly connect?: Connect | undefined;
  readonly push?: typeof pushSnapshot | undefined;
}

export interface Snapshot {
  readonly sizeBytes: number;
  readonly sha256: string;
  read(): AsyncIterable<Uint8Array>;
}

/** A drill ends with it without a verdict on the backup; it continues "the drill could not be carried out: ". */
export class DrillError extends Error {
  override readonly name = "DrillError";
  readonly code = "drill";
}

/** The pod of a drill, from its making to its end. */
export class DrillMember {
  readonly #deps: DrillDeps;
  readonly #pod: Stored<Pod>;
  readonly #secret: Secret;
  readonly #signal: AbortSignal;
  readonly #release: () => void;
  #client: EtcdClient | undefined;
  /** What keeps the pod from getting on, as far as it was seen last. */
  #trouble: string | undefined = NOT_STARTED;

  /**
   * Creates the pod and the Secret by which it and the operator authenticate each other. Leftovers of earlier drills
   * are deleted first.
   */
  static async create(deps: DrillDeps, pod: Pod, signal: AbortSignal): Promise<DrillMember> {
    const { namespace = "default", ownerReferences: [owner] = [] } = pod.metadata ?? {};
    await removeDrillPods(deps.client, { namespace, uid: owner?.uid ?? "" }, signal);
    deps.fence(`creating pod ${pod.metadata?.name}`);
    const release = useWorker(namespace, pod.metadata?.name ?? "");
    const made = await deps.client.create(resources.pods, pod, { signal }).catch((error: unknown) => {
      release();
      throw error;
    });
    const secret = await makeTransferSecret(made, deps.clock.now());
    const member = new DrillMember(deps, { pod: made, secret, release }, signal);
    try {
      await deps.client.create(resources.secrets, secret, { signal });
      return member;
    } catch (error) {
      await member.remove();
      throw error;
    }
  }

  private constructor(
    deps: DrillDeps,
    made: { readonly pod: Stored<Pod>; readonly secret: Secret; readonly release: () => void },
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#pod = made.pod;
    this.#secret = made.secret;
    this.#release = made.release;
    this.#signal = signal;
  }

  /** Brings it the snapshot as soon as it waits for it, and its turn has come. */
  async receive(
    { sizeBytes, sha256, read }: Snapshot,
    turn: (signal: AbortSignal) => Promise<() => void> = async () => () => undefined,
  ): Promise<void> {
    const ip = await this.#when((pod) => (isRunning(receiving(pod)) ? pod.status?.podIP : undefined));
    const push = this.#deps.push ?? pushSnapshot;
    const leave = await turn(this.#signal);
    try {
      await push(endpointOf(this.#secret, ip), read(), { sizeBytes, sha256, signal: this.#signal });
    } catch (error) {
      // Only its last answer may have been lost.
      const pod = await this.#look();
      if (receiving(pod)?.state?.terminated?.exitCode !== 0) throw error;
    } finally {
      leave();
    }
  }

  /** The client of the restored member, once it answers. */
  async serves(): Promise<EtcdClient> {
    const { connect = connectEtcd, clock } = this.#deps;
    const ip = await this.#when((pod) => (isRunning(etcd(pod)) ? pod.status?.podIP : undefined));
    const address = `${ip.includes(":") ? `[${ip}]` : ip}:${CLIENT_PORT}`;
    const client = connect({ address, tls: this.#tls(), serverName: this.#pod.metadata.name }, {});
    this.#client = client;
    for (;;) {
      const { health } = await client.health({ timeoutMs: ANSWER_MS, signal: this.#signal });
      if (health === "healthy") return client;
      await this.#look();
      await pause(clock, LOOK_MS, this.#signal);
    }
  }

  /**
   * Also when everything else is being cancelled; what cannot be removed now is deleted with the EtcdBackup, or
   * before the next drill.
   */
  async remove(): Promise<void> {
    this.#client?.close();
    await removePod(this.#deps.client, this.#pod).catch(() => undefined);
    this.#release();
  }

  /** Why it was waited for in vain, when the time is up. */
  late({ message }: Error): DrillError {
    const { name } = this.#pod.metadata;
    return new DrillError(this.#trouble ? `${message}; pod '${name}': ${this.#trouble}` : message);
  }

  #tls() {
    const text = (file: keyof typeof TRANSFER_FILES) =>
      Buffer.from(this.#secret.data?.[TRANSFER_FILES[file]] ?? "", "base64").toString();
    return { ca: text("cert"), cert: text("cert"), key: text("key") };
  }

  async #when<Answer>(answer: (pod: Stored<Pod>) => Answer | undefined): Promise<Answer> {
    for (;;) {
      const found = answer(await this.#look());
      if (found !== undefined) return found;
      await pause(this.#deps.clock, LOOK_MS, this.#signal);
    }
  }

  /** Throws when it will never come to anything. */
  async #look(): Promise<Stored<Pod>> {
    this.#signal.throwIfAborted();
    const pod = await this.#deps.client.get(resources.pods, this.#pod.metadata, { signal: this.#signal });
    const { phase } = pod.status ?? {};
    this.#trouble = podTrouble(pod) ?? (hasBegun(pod) ? undefined : NOT_STARTED);
    if (phase === "Failed" || phase === "Succeeded") throw new DrillError(podTrouble(pod) ?? "its pod ended");
    return pod;
  }
}

/**
 * Leftovers of earlier drills of an EtcdBackup: one whose process was killed leaves a pod that serves confidential
 * data.
 */
export async function removeDrillPods(
  client: PodRemover,
  owner: Omit<OwnedPods, "labels">,
  signal: AbortSignal,
): Promise<void> {
  await removeOwnedPods(client, { ...owner, labels: DRILL_LABELS }, signal);
}

// Some reasons are only in Events, which we may not read.
const NOT_STARTED = "it has not started (see its Events: kubectl get events)";
const LOOK_MS = 500;
const ANSWER_MS = 2_000;

function receiving({ status }: Pod): ContainerStatus | undefined {
  return status?.initContainerStatuses?.find(({ name }) => name === RECEIVE_CONTAINER);
}

function etcd({ status }: Pod): ContainerStatus | undefined {
  return status?.containerStatuses?.[0];
}

function hasBegun({ status }: Pod): boolean {
  const { initContainerStatuses = [], containerStatuses = [] } = status ?? {};
  return [...initContainerStatuses, ...containerStatuses].some(({ state }) => state?.running || state?.terminated);
}

function isRunning(container: ContainerStatus | undefined): boolean {
  return container?.state?.running !== undefined;
}
