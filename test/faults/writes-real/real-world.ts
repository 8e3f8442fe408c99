import type { KubeClient } from "@etcd-operator/kubernetes-client";
import type { Connection } from "@etcd-operator/kubernetes-client/connect/connection.ts";
import type { Ask } from "../world/in-process-carrier.ts";
import type { ObjectHistory } from "./object-history.ts";

/** A Kubernetes whose pods run, without an operator. */
export interface RealWorld {
  /** The administrator's. */
  readonly client: KubeClient;
  readonly connection: Connection;
  /** The way that operators take to the API server. */
  readonly ask: Ask;
  readonly history: ObjectHistory;
  readonly random: () => number;
  stop(): Promise<void>;
}
