import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { Observation } from "../model/observation.ts";

/** Connections to members. The provider keeps and closes them. */
export interface MemberClients {
  /** Rejects when there is no way to the pod, such as one without an address. */
  clientOf(seen: Observation, podName: string): Promise<EtcdClient>;
}
