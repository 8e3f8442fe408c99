import type { Clock, KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { Informer, linkedAbort, resources } from "@etcd-operator/kubernetes-client";
import { type BackOffLimits, standardBackOff } from "@etcd-operator/local-kubernetes/kubelet/back-off.ts";
import type { Outside } from "@etcd-operator/operator/restore/start-work.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Random } from "../../model/random.ts";
import type { Disk } from "./etcd/disk.ts";
import type { EtcdModel } from "./etcd-model.ts";
import { Images } from "./kubelet/images.ts";
import type { NodeContext } from "./kubelet/node-context.ts";
import { registerNode } from "./kubelet/node-object.ts";
import { volumeId } from "./kubelet/pod-volumes.ts";
import { PodWorker } from "./kubelet/pod-worker.ts";
import { Receivers } from "./kubelet/restore-programs.ts";
import { ServingWorkers } from "./kubelet/worker-program.ts";

export interface KubeletModelOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly etcd: EtcdModel;
  readonly nodes?: readonly string[];
  readonly backOff?: BackOffLimits;
}

const USUAL_NODES = ["node-1"];

/** Runs the pods that are bound to its nodes; what they run is a model. */
export function startKubeletModel(options: KubeletModelOptions): KubeletModel {
  return new KubeletModel(options);
}

interface Node {
  readonly workers: Map<string, PodWorker>;
  /** Undefined while it is down. */
  power: ReturnType<typeof linkedAbort> | undefined;
}

export class KubeletModel {
  readonly #options: KubeletModelOptions;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #pods: Informer<Pod>;
  readonly #context: NodeContext;
  readonly #addresses = new Set<string>();
  #lastAddress = 0;

  constructor(options: KubeletModelOptions) {
    const { client, signal, nodes = USUAL_NODES } = options;
    this.#options = options;
    this.#nodes = new Map(nodes.map((name) => [name, { workers: new Map(), power: linkedAbort(signal) }]));
    this.#context = this.#newContext(options);
    this.#pods = new Informer<Pod>({ client, resource: resources.pods });
    this.#pods.onChange((change) => {
      if (change.type !== "synced") this.#follow(change);
    });
    void this.#pods.run(signal);
    for (const name of nodes) void registerNode(client, name, signal);
  }

  /** Brings a snapshot to a pod that waits for one. */
  readonly push: Outside["push"] = (endpoint, source, push) => this.#context.receivers.push(endpoint, source, push);

  /** Whether a worker of a volume runs at an address. */
  readonly isServing = (address: string): boolean => this.#context.workers.isServing(address);

  // Faults.

  /** An image whose name contains this cannot be pulled, or can again. */
  failPulls(part: string, isFailing = true): void {
    this.#context.images.setMissing(part, isFailing);
  }

  /** Ends the program of a container as SIGKILL does. */
  killContainer(pod: string, container = "etcd"): void {
    this.#workerOf(pod)?.container(container)?.kill();
  }

  /** The volume that holds the data of a pod, as long as that has it mounted. */
  diskOf(pod: string): Disk | undefined {
    const [id] = this.#workerOf(pod)?.disks ?? [];
    return id === undefined ? undefined : this.#options.etcd.disk(id);
  }

  /** The volume behind a PersistentVolume, whether or not a pod has it mounted. */
  volume(volumeName: string): Disk {
    return this.#options.etcd.disk(volumeId(volumeName));
  }

  /** A node loses its power, without a report. */
  nodeDown(name: string): void {
    const node = this.#nodes.get(name);
    node?.power?.abort();
    if (node) node.power = undefined;
  }

  /** It comes back: what ran has ended in an unknown way, and begins again. */
  nodeUp(name: string): void {
    const node = this.#nodes.get(name);
    if (!node || node.power) return;
    node.power = linkedAbort(this.#options.signal);
    for (const object of this.#pods.cache.list()) {
      if (object.spec?.nodeName === name) this.#start(node, object);
    }
  }

  #newContext({ client, clock, random, etcd, backOff = standardBackOff }: KubeletModelOptions): NodeContext {
    return {
      ...{ client, clock, random, etcd, backOff, images: new Images(), receivers: new Receivers() },
      workers: new ServingWorkers(),
      takeIp: () => this.#takeIp(),
      giveIpBack: (ip) => this.#addresses.delete(ip),
      usersElsewhere: (disk, nodeName) => this.#usersElsewhere(disk, nodeName),
    };
  }

  #follow({
    type,
    object,
    old,
  }: {
    type: "added" | "modified" | "deleted";
    object: Stored<Pod>;
    old?: Stored<Pod>;
  }): void {
    const node = this.#nodes.get(object.spec?.nodeName ?? "");
    if (!node?.power) return;
    const { uid } = object.metadata;
    if (old && old.metadata.uid !== uid) node.workers.get(old.metadata.uid)?.vanish();
    const known = node.workers.get(uid);
    if (type === "deleted") known?.vanish();
    else if (known) known.update(object);
    else this.#start(node, object);
  }

  #start(node: Node, object: Stored<Pod>): void {
    if (!node.power) return;
    const { uid } = object.metadata;
    const worker = new PodWorker(this.#context, object);
    node.workers.set(uid, worker);
    void worker.run(node.power.signal).finally(() => {
      if (node.workers.get(uid) === worker) node.workers.delete(uid);
    });
  }

  #workerOf(pod: string): PodWorker | undefined {
    return [...this.#nodes.values()]
      .flatMap(({ workers }) => [...workers.values()])
      .find((worker) => worker.pod.metadata.name === pod);
  }

  #usersElsewhere(disk: string, nodeName: string): string[] {
    return [...this.#nodes]
      .filter(([name, { power }]) => name !== nodeName && power)
      .flatMap(([, { workers }]) => [...workers.values()])
      .filter((worker) => worker.disks.includes(disk))
      .map((worker) => worker.pod.metadata.name);
  }

  /** One after the other, so that one which was just given back is not met again soon. */
  #takeIp(): string {
    do {
      this.#lastAddress = (this.#lastAddress + 1) % 65_000;
    } while (this.#addresses.has(addressOf(this.#lastAddress)));
    const ip = addressOf(this.#lastAddress);
    this.#addresses.add(ip);
    return ip;
  }
}

function addressOf(number: number): string {
  return `10.244.${Math.floor(number / 250)}.${(number % 250) + 2}`;
}
