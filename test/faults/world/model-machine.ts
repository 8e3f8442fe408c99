import type { Endpoint, EtcdClient, Member } from "@etcd-operator/etcd-client";
import type { ClientOptions } from "@etcd-operator/etcd-client/call-options.ts";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { systemClock } from "@etcd-operator/kubernetes-client";
import type { Random } from "../../model/random.ts";
import type { EtcdProcess } from "../model/etcd/etcd-process.ts";
import { EtcdModel } from "../model/etcd-model.ts";
import { type KubeletModel, startKubeletModel } from "../model/kubelet-model.ts";
import type { Machine } from "./world.ts";

interface MachineGiven {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly random: Random;
}

/** A node whose kubelet runs pods on a model of etcd. */
export class ModelMachine implements Machine {
  readonly etcd: EtcdModel;
  readonly kubelet: KubeletModel;

  constructor({ client, signal, random }: MachineGiven) {
    const clock = systemClock;
    this.etcd = new EtcdModel({ clock, random });
    this.kubelet = startKubeletModel({ client, clock, random, signal, etcd: this.etcd });
    signal.addEventListener("abort", () => this.etcd.close(), { once: true });
  }

  connect(endpoint: Endpoint, options?: ClientOptions): EtcdClient {
    return this.etcd.connect(endpoint, options);
  }

  get push(): KubeletModel["push"] {
    return this.kubelet.push;
  }

  get isServing(): KubeletModel["isServing"] {
    return this.kubelet.isServing;
  }

  /** The members of a cluster as its leader knows them; none without one. */
  membersOf(cluster: string): readonly Member[] {
    return [...(this.#leaderOf(cluster)?.data.state.members.values() ?? [])];
  }

  /** The keys that its leader has. */
  keysOf(cluster: string): readonly string[] {
    return [...(this.#leaderOf(cluster)?.data.state.keys.newest.keys() ?? [])];
  }

  #leaderOf(cluster: string): EtcdProcess | undefined {
    return this.etcd.processes.find(({ launch, role }) => role === "leader" && launch.pod.startsWith(`${cluster}-`));
  }
}
