import type { ContainerRecord } from "./container-record.ts";
import type { ContainerRun } from "./container-run.ts";
import type { NodeContext } from "./node-context.ts";
import { runProbes } from "./probe/probe-runner.ts";
import { runExec } from "./sandbox/exec-process.ts";

/** Probes a container while it runs, and notes what that says about it. */
export function watchHealth(
  { clock, events }: NodeContext,
  { container, process, launch, pod, probes }: ContainerRun,
  podIp: string,
  note: (change: Partial<ContainerRecord>) => void,
): void {
  const exec = (command: readonly string[], timeoutMs: number) => runExec(process.pid, launch, command, timeoutMs);
  const listener = {
    onStarted: () => note({ isStarted: true }),
    onReady: (isReady: boolean) => note({ isReady }),
    onAiling: (kind: string) =>
      note({ ailment: `Container ${container.name} failed ${kind} probe, will be restarted` }),
    onFailure: (kind: string, why: string) => {
      const message = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} probe failed: ${why}`;
      events.record(pod, { type: "Warning", reason: "Unhealthy", message });
    },
  };
  runProbes({ container, podIp, exec }, listener, clock, probes.signal);
}
