import type { Fence, Logger, RunContext, Turns } from "@etcd-operator/controller-runtime";
import type { Clock, KubeClient } from "@etcd-operator/kubernetes-client";
import { keyOf } from "@etcd-operator/kubernetes-client";
import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import { API_VERSION } from "../api/group.ts";
import { STREAM_URGENCY, streamTurns } from "../context/stream-turns.ts";
import { pushSnapshot } from "../transfer/push-snapshot.ts";
import type { Connect } from "../transfer/snapshot/choose-member.ts";
import { openBackupStore } from "../transfer/store/open-backup-store.ts";
import type { Trust } from "../transfer/trust/trust.ts";
import type { ClaimTurns } from "../transfer/volume/claim-turns.ts";
import type { Waiting } from "../transfer/volume/free-claim.ts";
import type { Action } from "./action.ts";
import { attemptId, isOwnedBy, isTrue } from "./attempt.ts";
import type { Observation, RunProgress, Runs } from "./observation.ts";
import type { RestoreRuns } from "./runs.ts";
import { targetOf } from "./target.ts";
import type { VerifiedBackup } from "./tasks/backup-change.ts";
import type { KeptStores } from "./tasks/kept-stores.ts";
import { openInTurn } from "./tasks/open-in-turn.ts";
import { UNTIL_NOT_NEEDED } from "./tasks/retrying.ts";
import { saveSurvivor } from "./tasks/save-survivor.ts";
import { sendToSeed } from "./tasks/send-to-seed.ts";
import { verifyBackup } from "./tasks/verify-backup.ts";
import type { Worker } from "./tasks/worker.ts";

export interface WorkOptions {
  readonly runs: RestoreRuns;
  readonly stores: KeptStores;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly fence: Fence;
  readonly logger: Logger;
  readonly trust: Trust;
  readonly claimTurns: ClaimTurns;
  /** Our own image, for the worker of a volume. */
  readonly image: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  readonly streams?: Turns | undefined;
  readonly outside?: Partial<Outside> | undefined;
}

/** How the world beyond the API server is reached; tests have others. */
export interface Outside {
  readonly openStore: typeof openBackupStore;
  readonly push: typeof pushSnapshot;
  readonly connect: Connect | undefined;
}

export type StartWork = (
  seen: Observation,
  action: Extract<Action, { kind: "verify" | "save" | "push" }>,
) => Promise<void>;

/** Starts work that takes longer than a reconcile may. */
export function workStarter(options: WorkOptions): StartWork {
  const { runs, streams = streamTurns() } = options;
  return async (seen, action) => {
    const { restore, cluster } = seen;
    const key = keyOf(restore.metadata);
    const take = (signal: AbortSignal) => streams.take(signal, STREAM_URGENCY[action.kind], restore.metadata.namespace);
    const workerOf = ({ report }: RunContext<RunProgress>) =>
      workerFor(options, seen, action.kind, {
        take,
        waiting: (step, wait) => {
          report({ step });
          return wait();
        },
      });
    switch (action.kind) {
      case "verify":
        runs.start(key, { kind: "verify", restore }, (context) =>
          verifyBackup(workerOf(context), targetOf(seen), context),
        );
        return;
      case "save":
        if (action.isRepeated) await runs.drop(key, "save", restore);
        if (!cluster) return;
        runs.start(key, { kind: "save", restore }, (context) =>
          saveSurvivor(workerOf(context), { cluster, backup: backupOf(seen) }, context),
        );
        return;
      case "push": {
        const { seed } = action;
        runs.start(key, { kind: "push", restore, seed }, (context) => sendToSeed(workerOf(context), seed, context));
      }
    }
  };
}

function workerFor(
  options: WorkOptions,
  { restore, cluster }: Observation,
  kind: keyof Runs,
  turns: Pick<Turns, "take"> & { readonly waiting: Waiting },
): Worker {
  const { client, clock, random, fence, logger, stores, outside = {} } = options;
  const { openStore = openBackupStore, push = pushSnapshot, connect } = outside;
  const { namespace = "default", name, uid } = restore.metadata;
  const owner = { apiVersion: API_VERSION, kind: "EtcdRestore", name, uid };
  const request = { namespace, owner, spec: restore.spec, waiting: turns.waiting };
  const key = keyOf(restore.metadata);
  const attempt = attemptId(restore);
  // To open another store costs nothing, and is done with what its Secret says by then.
  const isKept = kind !== "push" && restore.spec.backupStorageType === "Volume";
  const openNow = async (signal: AbortSignal) => {
    const opened = (await stores.take(key, attempt, signal)) ?? (await openStore(options, request, signal));
    return isKept ? { ...opened, close: () => stores.keep(key, attempt, opened) } : opened;
  };
  const open: Worker["open"] = (signal, isNeeded) => openInTurn(turns, openNow, signal, isNeeded);
  const patience = cluster && isOwnedBy(restore, cluster) ? UNTIL_NOT_NEEDED : undefined;
  return { restore, client, clock, random, fence, logger, open, push, patience, connect };
}

/** What was verified; when, only the process knows that did it. */
function backupOf({ restore, runs }: Observation): VerifiedBackup | undefined {
  const { snapshot } = restore.status ?? {};
  if (!snapshot || !isTrue(restore, "Verified")) return undefined;
  const result = runs.verify?.kind === "ended" ? runs.verify.result : undefined;
  return { snapshot, modifiedAtMs: result?.kind === "verified" ? result.modifiedAtMs : undefined };
}
