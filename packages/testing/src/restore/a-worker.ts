import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import { systemClock } from "@etcd-operator/kubernetes-client";
import type { RunProgress, RunResult } from "@etcd-operator/operator/restore/observation.ts";
import type { Worker } from "@etcd-operator/operator/restore/tasks/worker.ts";
import type { FakeClock } from "../kubernetes/fake-clock.ts";
import type { MemoryStore } from "../objectstore/memory-store.ts";
import { aRestoreSeen } from "./a-restore-seen.ts";

/** What a piece of work has at hand, with a store in memory whose backup has the key 'etcd'. */
export function aWorker(store: MemoryStore, client: object, more: Partial<Worker> = {}): Worker {
  const opened = { store, key: "etcd", pathOf: (key: string) => `backups/${key}`, close: async () => undefined };
  return {
    restore: aRestoreSeen().restore,
    client: client as Worker["client"],
    clock: systemClock,
    random: () => 0.5,
    fence: () => undefined,
    logger: createLogger({ level: "silent" }),
    open: async (_, isNeeded) => {
      await isNeeded?.();
      return opened;
    },
    push: async () => undefined,
    ...more,
  };
}

export function aRunContext() {
  const reports: RunProgress[] = [];
  return { signal: new AbortController().signal, report: (progress: RunProgress) => reports.push(progress), reports };
}

/** Time passes as fast as it can. */
export async function inNoTime(clock: FakeClock, run: Promise<RunResult>): Promise<RunResult | Error> {
  let result: RunResult | Error | undefined;
  run.then(
    (value) => (result = value),
    (error: Error) => (result = error),
  );
  for (let step = 0; step < 200 && result === undefined; step += 1) await clock.advance(1_000);
  return result ?? assert.fail("it never ended");
}
