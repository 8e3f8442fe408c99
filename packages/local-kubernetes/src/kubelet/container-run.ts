import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import type { ContainerLog } from "./logs/container-log.ts";
import type { ContainerProcess, Launch } from "./sandbox/container-process.ts";

/** A running container, as far as others need it: for exec and logs. */
export interface RunningContainer {
  readonly process: ContainerProcess;
  readonly launch: Launch;
  readonly log: ContainerLog;
}

/** One run of a container, from its start to its end. */
export interface ContainerRun extends RunningContainer {
  readonly pod: Stored<Pod>;
  readonly container: Container;
  readonly dir: string;
  readonly startedAt: number;
  readonly probes: AbortController;
}
