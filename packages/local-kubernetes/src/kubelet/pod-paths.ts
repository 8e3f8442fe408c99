import { join } from "node:path";

/** Where the kubelet keeps what belongs to a pod; everything of it is under one folder. */
export function podsFolder(stateDir: string): string {
  return join(stateDir, "pods");
}

export interface PodPaths {
  readonly dir: string;
  /** Read by the network faults of tests: the process that holds the pod's namespaces. */
  readonly sandboxPid: string;
  /** The folder of all runs. */
  readonly runs: string;
  volume(name: string): string;
  /** What one run of a container writes outside of volumes; gone with the run. */
  run(container: string, restart: number): string;
  log(container: string, restart: number): string;
}

export function podPaths(stateDir: string, uid: string): PodPaths {
  const dir = join(podsFolder(stateDir), uid);
  return {
    dir,
    sandboxPid: join(dir, "sandbox.pid"),
    runs: join(dir, "containers"),
    volume: (name) => join(dir, "volumes", name),
    run: (container, restart) => join(dir, "containers", container, String(restart)),
    log: (container, restart) => join(dir, "logs", container, `${restart}.log`),
  };
}
