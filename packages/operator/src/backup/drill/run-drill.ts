import { parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { type Clock, linkedAbort, pause, randomSuffix, refusalInWords } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import { API_VERSION } from "../../api/group.ts";
import { findCluster } from "../../transfer/find-cluster.ts";
import { podNameFor } from "../../transfer/pods/pod-name.ts";
import { needsFix } from "../../transfer/snapshot/failure.ts";
import { readMetadata } from "../../transfer/snapshot/read-metadata.ts";
import { metadataKey, type SnapshotMetadata } from "../../transfer/snapshot/snapshot-metadata.ts";
import { keyAt } from "../../transfer/store/key-at.ts";
import type { BackupStoreRequest, OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import { drillPod } from "../objects/drill-pod.ts";
import type { DrillAbout, DrillFigures, DrillOutcome } from "../observation.ts";
import { compareMember } from "./compare-member.ts";
import { type DrillDeps, DrillError, DrillMember } from "./drill-member.ts";

export interface DrillParts extends DrillDeps {
  readonly openStore: (request: BackupStoreRequest, signal: AbortSignal) => Promise<OpenBackupStore>;
  readonly random: () => number;
  /** Waits until it may stream, and returns what ends its turn. At once when absent. */
  readonly turn?: (signal: AbortSignal) => Promise<() => void>;
  /** Our own image. */
  readonly image: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
}

/** Like the backup itself; restoring takes no longer than taking. */
const TIMEOUT_MS = 3_600_000;
/** A transient failure should not leave a backup unproved until the next drill, which may be weeks away. */
const MOST_ATTEMPTS = 3;
const PAUSE_MS = 30_000;

/**
 * Restores a backup into a throw-away member, and compares its data with the recorded figures; throws only when
 * cancelled.
 */
export async function runDrill(
  parts: DrillParts,
  { backup, about }: { readonly backup: Stored<EtcdBackup>; readonly about: DrillAbout },
  signal: AbortSignal,
): Promise<DrillOutcome> {
  const { clock } = parts;
  const abort = linkedAbort(signal);
  const begin = () =>
    clock.after(TIMEOUT_MS, () => abort.abort(new Error(`it took longer than ${TIMEOUT_MS / 1000} s`)));
  let cancel = begin();
  let begunAtMs = clock.now();
  // While it waits for others no time counts.
  const turn = async (stop: AbortSignal) => {
    cancel();
    const leave = await parts.turn?.(stop);
    cancel = begin();
    return () => leave?.();
  };
  const attempt = () => {
    begunAtMs = clock.now();
    return prove({ ...parts, turn }, backup, about, abort.signal);
  };
  try {
    const { figures, differences } = await tryToProve(attempt, clock, abort.signal);
    const times = { begunAtMs, endedAtMs: clock.now() };
    if (differences.length === 0) return { kind: "passed", ...times, ...figures };
    return { kind: "failed", ...times, message: differences.join("; "), ...figures };
  } catch (error) {
    signal.throwIfAborted();
    const isLate = abort.signal.aborted && !(error instanceof DrillError);
    const message = failureInWords(isLate ? abort.signal.reason : error);
    return { kind: "failed", begunAtMs, endedAtMs: clock.now(), message };
  } finally {
    cancel();
    abort.unlink();
  }
}

interface Proof {
  readonly figures: DrillFigures;
  readonly differences: readonly string[];
}

async function tryToProve(attempt: () => Promise<Proof>, clock: Clock, signal: AbortSignal): Promise<Proof> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts >= MOST_ATTEMPTS || needsFix(error) || signal.aborted) throw error;
      await pause(clock, PAUSE_MS, signal);
      signal.throwIfAborted();
    }
  }
}

async function prove(
  parts: DrillParts,
  backup: Stored<EtcdBackup>,
  { snapshot }: DrillAbout,
  signal: AbortSignal,
): Promise<Proof> {
  const namespace = backup.metadata.namespace ?? "default";
  const { name, uid } = backup.metadata;
  const owner = { apiVersion: API_VERSION, kind: "EtcdBackup", name, uid };
  const opened = await parts.openStore({ namespace, owner, spec: backup.spec }, signal);
  try {
    const key = keyAt(opened, snapshot.path);
    const noted = await readMetadata(opened.store, key, signal);
    if (!noted) throw isGone(metadataKey(snapshot.path), opened);
    return await proveStored(parts, backup, { opened, key, noted }, signal);
  } finally {
    await opened.close();
  }
}

function isGone(path: string, { store }: OpenBackupStore): ObjectStoreError {
  const message = `it does not exist in ${store.description} any more`;
  return new ObjectStoreError("not-found", { operation: `read '${path}'`, message });
}

/** What is wrong with the backup itself is a verdict; all else only keeps us from one. */
function failureInWords(error: unknown): string {
  const said = refusalInWords(error);
  const code = error instanceof ObjectStoreError ? error.code : undefined;
  if (code === "not-found") return `the backup does not exist any more: ${said}`;
  if (code === "corrupt") return `the backup is damaged: ${said}`;
  return `the drill could not be carried out: ${said}`;
}

interface StoredBackup {
  readonly opened: OpenBackupStore;
  readonly key: string;
  readonly noted: SnapshotMetadata;
}

async function proveStored(
  parts: DrillParts,
  backup: Stored<EtcdBackup>,
  { opened, key, noted }: StoredBackup,
  signal: AbortSignal,
): Promise<Proof> {
  const { sizeBytes, sha256 } = noted;
  const member = await DrillMember.create(parts, await podFor(parts, backup, noted, signal), signal);
  try {
    await member.receive({ sizeBytes, sha256, read: () => opened.store.get(key, { signal }) }, parts.turn);
    const client = await member.serves();
    const servedAtMs = parts.clock.now();
    const { revision, keys, differences } = await compareMember(client, noted, signal);
    return { figures: { revision, keys, sizeBytes, servedAtMs }, differences };
  } catch (error) {
    throw signal.aborted && signal.reason instanceof Error ? member.late(signal.reason) : error;
  } finally {
    await member.remove();
  }
}

async function podFor(parts: DrillParts, backup: Stored<EtcdBackup>, noted: SnapshotMetadata, signal: AbortSignal) {
  const { metadata, spec } = backup;
  const version = parseVersion(noted.etcdVersion);
  if (!version) throw new Error(`its metadata has an invalid version '${noted.etcdVersion}'`);
  const namespace = metadata.namespace ?? "default";
  return drillPod({
    namespace,
    name: podNameFor(metadata.name, "drill", randomSuffix(parts.random)),
    backup: { name: metadata.name, uid: metadata.uid },
    image: parts.image,
    imagePullSecrets: parts.imagePullSecrets,
    version,
    cluster: spec.etcdCluster && (await findCluster(parts.client, { namespace, name: spec.etcdCluster.name }, signal)),
  });
}
