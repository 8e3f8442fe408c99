import type { Clock, KubeClient } from "@etcd-operator/kubernetes-client";
import type { BackOffLimits } from "@etcd-operator/local-kubernetes/kubelet/back-off.ts";
import type { Random } from "../../../model/random.ts";
import type { EtcdModel } from "../etcd-model.ts";
import type { Images } from "./images.ts";
import type { Receivers } from "./restore-programs.ts";
import type { ServingWorkers } from "./worker-program.ts";

/** What all pods share. */
export interface NodeContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly etcd: EtcdModel;
  readonly images: Images;
  readonly receivers: Receivers;
  readonly workers: ServingWorkers;
  readonly backOff: BackOffLimits;
  /** An address that no pod has. */
  readonly takeIp: () => string;
  readonly giveIpBack: (ip: string) => void;
  /** The pod that uses a volume on another node. */
  readonly usersElsewhere: (diskId: string, nodeName: string) => readonly string[];
}
