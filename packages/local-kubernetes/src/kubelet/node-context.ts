import type { Clock, EventRecorder, KubeClient } from "@etcd-operator/kubernetes-client";
import type { KubeletConfig } from "../config.ts";
import type { BackOffLimits } from "./back-off.ts";
import type { MachineSize } from "./env/pod-field.ts";
import type { ImageStore } from "./image-store.ts";
import type { IpPool } from "./ip-pool.ts";
import type { MachineLayout } from "./sandbox/machine-layout.ts";
import type { TokenSource } from "./volumes/token-source.ts";

/** What the kubelet needs of the API server. */
export type KubeletClient = Pick<
  KubeClient,
  "get" | "list" | "watch" | "create" | "patch" | "patchStatus" | "updateStatus" | "delete" | "request"
>;

/** What all pods of the node share. */
export interface NodeContext {
  readonly config: KubeletConfig;
  readonly client: KubeletClient;
  readonly events: EventRecorder;
  readonly images: ImageStore;
  readonly ips: IpPool;
  readonly tokens: TokenSource;
  readonly layout: MachineLayout;
  readonly machine: MachineSize;
  readonly clock: Clock;
  readonly backOff: BackOffLimits;
  /** How often the content of Secrets and ConfigMaps in volumes is compared with the API. */
  readonly refreshMs: number;
  readonly log: (message: string) => void;
}
