import type { Clock, EventRecorder, KubeClient } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "../config.ts";
import type { Informers } from "./informers.ts";

/** What every controller is given. */
export interface ControllerContext {
  readonly config: LocalConfig;
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}
