import type { RunContext } from "@etcd-operator/controller-runtime";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import type { RunProgress, RunResult } from "../observation.ts";
import { lookIntoSnapshot, readWholeSnapshot } from "./look-into-snapshot.ts";
import { refusalOf, refusalOfWhole, type Target, versionOf } from "./refusal.ts";
import { retrying } from "./retrying.ts";
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

/**
 * Finds out all that can be known of a snapshot before it is restored. A snapshot that is quickly known to be wrong is
 * not read to its end.
 */
export async function verifySnapshot(
  { store, key, pathOf }: OpenBackupStore,
  target: Target,
  { signal, report }: RunContext<RunProgress>,
): Promise<RunResult> {
  const path = pathOf(key);
  const step = "Reading the backup";
  report({ step, path });
  const facts = await lookIntoSnapshot(store, key, signal);
  if (!facts) {
    const message = `'${path}' does not exist in ${store.description}. Correct the path in the spec`;
    return { kind: "refused", reason: "NotFound", message };
  }
  const refusal = refusalOf(facts, path, target);
  if (refusal) return refusal;
  const totalBytes = facts.sizeBytes;
  const onProgress = (bytes: number) => report({ step, path, bytes, totalBytes });
  const whole = await readWholeSnapshot(store, key, { signal, onProgress });
  const { modifiedAtMs } = facts;
  const verified = { kind: "verified" as const, snapshot: snapshotOf(facts, whole, path), modifiedAtMs };
  return refusalOfWhole(whole, facts, path, target) ?? verified;
}

type Verified = Extract<RunResult, { kind: "verified" }>["snapshot"];

function snapshotOf(
  facts: Parameters<typeof versionOf>[0],
  { sizeBytes, sha256 }: { readonly sizeBytes: number; readonly sha256: string },
  path: string,
): Verified {
  const { contents, metadata } = facts;
  const etcdVersion = versionOf(facts);
  return {
    path,
    ...(contents.kind === "database" && { revision: contents.revision }),
    ...(etcdVersion && { etcdVersion }),
    ...(metadata && { clusterID: metadata.clusterID, takenAt: metadata.takenAt }),
    sizeBytes,
    sha256,
  };
}
