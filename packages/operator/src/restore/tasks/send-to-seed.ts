import type { RunContext } from "@etcd-operator/controller-runtime";
import { resources } from "@etcd-operator/kubernetes-client";
import { transferSecretName } from "../../transfer/names.ts";
import { keyAt } from "../../transfer/store/key-at.ts";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import { endpointOf } from "../../transfer/trust/transfer-secret.ts";
import type { RunProgress, RunResult, SeedSeen } from "../observation.ts";
import { awaitReceiver } from "./await-receiver.ts";
import { retrying } from "./retrying.ts";
import { safetyPrefix } from "./safety-key.ts";
import type { Worker } from "./worker.ts";

/**
 * Brings the snapshot from its store to the pod that waits for it, without keeping any of it. The store is opened while
 * the pod starts: for a volume that takes a pod, too.
 */
export async function sendToSeed(
  worker: Worker,
  seed: SeedSeen,
  { signal, report }: RunContext<RunProgress>,
): Promise<RunResult> {
  const { clock, random, patience } = worker;
  const step = "Sending the snapshot";
  const onTrouble = (trouble: string) => report({ step, trouble });
  report({ step });
  const options = { clock, random, signal, onTrouble, ...(patience && { patience }) };
  await retrying(() => sendOnce(worker, seed, step, { signal, report }), options);
  return { kind: "pushed" };
}

async function sendOnce(
  { restore, client, open, push }: Worker,
  seed: SeedSeen,
  step: string,
  { signal, report }: RunContext<RunProgress>,
): Promise<void> {
  const { path = "", sizeBytes = 0, sha256 = "" } = restore.status?.snapshot ?? {};
  const { namespace } = restore.metadata;
  const found: { ip?: string | undefined } = {};
  const opened = await open(signal, async () => {
    found.ip = await awaitReceiver(client, { namespace, ...seed }, signal);
  });
  try {
    if (found.ip === undefined) return;
    const secret = await client.get(resources.secrets, { namespace, name: transferSecretName(seed.name) }, { signal });
    const source = opened.store.get(keyIn(opened, path, restore), { signal });
    const onProgress = (bytes: number) => report({ step, path, bytes, totalBytes: sizeBytes });
    await push(endpointOf(secret, found.ip), source, { sizeBytes, sha256, signal, onProgress });
  } finally {
    await opened.close();
  }
}

/** A status names paths, a store keys: what is restored is the backup, or what was saved before. */
function keyIn(opened: OpenBackupStore, path: string, restore: Worker["restore"]): string {
  const key = keyAt(opened, path);
  return key.startsWith(safetyPrefix(opened.key, restore)) ? key : opened.key;
}
