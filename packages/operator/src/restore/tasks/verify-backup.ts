import type { RunContext } from "@etcd-operator/controller-runtime";
import type { RunProgress, RunResult } from "../observation.ts";
import type { Target } from "./refusal.ts";
import { retrying } from "./retrying.ts";
import { verifySnapshot } from "./verify-snapshot.ts";
import type { Worker } from "./worker.ts";

/** Opens the store and verifies the backup in it, again if the store is out of sorts. */
export async function verifyBackup(
  { open, clock, random, patience }: Worker,
  target: Target,
  context: RunContext<RunProgress>,
): Promise<RunResult> {
  const { signal, report } = context;
  const step = "Opening the store";
  const verifyOnce = async () => {
    report({ step });
    const opened = await open(signal);
    try {
      return await verifySnapshot(opened, target, context);
    } finally {
      await opened.close();
    }
  };
  const onTrouble = (trouble: string) => report({ step, trouble });
  return retrying(verifyOnce, { clock, random, signal, onTrouble, ...(patience && { patience }) });
}
