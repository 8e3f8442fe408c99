import type { Clock } from "../../kubernetes/clock.ts";
import type { ContainerRun } from "./container-run.ts";
import { runExec } from "./sandbox/exec-process.ts";

/** What a container wants done before it is told to end; within the grace, of which it is a part. */
export async function runPreStop(
  { container, process, launch }: ContainerRun,
  graceMs: number,
  clock: Clock,
): Promise<void> {
  const hook = container.lifecycle?.preStop;
  if (graceMs <= 0 || !hook) return;
  if (hook.exec) await runExec(process.pid, launch, hook.exec.command ?? [], graceMs);
  const sleepMs = (hook.sleep?.seconds ?? 0) * 1000;
  if (sleepMs > 0) await Promise.race([new Promise<void>((resolve) => clock.after(sleepMs, resolve)), process.ended]);
}
