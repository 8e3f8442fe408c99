import type { Clock } from "@etcd-operator/kubernetes-client";
import { linkedAbort } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { backupTimeLimit, LONGEST_BACKUP_SECONDS } from "../../api/backup/backup-time-limit.ts";
import { explained, needsFix } from "../../transfer/snapshot/failure.ts";
import { SnapshotError } from "../../transfer/snapshot/snapshot-error.ts";
import type { RunOutcome, RunSucceeded } from "../observation.ts";

/** Enough for a terabyte over a fast line; stalls are noticed much sooner. */
const DEFAULT_TIMEOUT_SECONDS = 3_600;

/** Waits for a shared resource: the time limit is suspended meanwhile, and starts again afterwards. */
export type Untimed = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** Runs within the time limit, and returns how it ended; throws only when it was cancelled. */
export async function runBackup(
  work: (signal: AbortSignal, untimed: Untimed) => Promise<RunSucceeded>,
  { clock, timeoutSeconds }: { readonly clock: Clock; readonly timeoutSeconds: number | undefined },
  signal: AbortSignal,
): Promise<RunOutcome> {
  const abort = linkedAbort(signal);
  const seconds = backupTimeLimit(timeoutSeconds || DEFAULT_TIMEOUT_SECONDS);
  const begin = () => clock.after(seconds * 1000, () => abort.abort(late(seconds)));
  let cancel = begin();
  const untimed: Untimed = async (wait) => {
    cancel();
    const result = await wait();
    cancel = begin();
    return result;
  };
  try {
    return await work(abort.signal, untimed);
  } catch (error) {
    signal.throwIfAborted();
    return failed(abort.signal.aborted ? late(seconds, error) : error, clock.now());
  } finally {
    cancel();
    abort.unlink();
  }
}

/** The error of a cancelled call is not the cause, unless a store reports what it was waiting for. */
function late(seconds: number, error?: unknown): SnapshotError {
  const remedy =
    seconds < LONGEST_BACKUP_SECONDS
      ? "check what is slow, or raise spec.backupPolicy.timeoutInSecond"
      : "check what is slow; spec.backupPolicy.timeoutInSecond cannot be raised further";
  const message = `the backup took longer than ${seconds} s: ${remedy}`;
  const isTelling = error instanceof ObjectStoreError && error.code !== "aborted";
  return new SnapshotError("timeout", isTelling ? `${message} (${error.message})` : message);
}

function failed(error: unknown, endedAtMs: number): RunOutcome {
  return { kind: "failed", endedAtMs, message: explained(error), needsFix: needsFix(error) };
}
