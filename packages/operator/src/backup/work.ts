import { fenceOf, type Turns } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { ControllerContext } from "../context/controller-context.ts";
import { STREAM_URGENCY, streamTurns } from "../context/stream-turns.ts";
import type { Connect } from "../transfer/snapshot/choose-member.ts";
import { openBackupStore } from "../transfer/store/open-backup-store.ts";
import { type TrustFlags, trustOf } from "../transfer/trust/trust.ts";
import { ClaimTurns } from "../transfer/volume/claim-turns.ts";
import type { Waiting } from "../transfer/volume/free-claim.ts";
import { type DrillParts, runDrill } from "./drill/run-drill.ts";
import type { DrillAbout, DrillOutcome, RunOutcome, RunProgress } from "./observation.ts";
import { runBackup, type Untimed } from "./run/run-backup.ts";
import { type BackupDeps, takeBackup } from "./run/take-backup.ts";
import type { Work } from "./runs.ts";

export interface WorkOptions {
  /** Our own image, whose worker serves volumes. */
  readonly image: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  /** Shared with everything else that streams in this process. */
  readonly streams?: Turns | undefined;
  /** Shared with whatever else opens volumes in this process. */
  readonly claimTurns?: ClaimTurns | undefined;
  /** Which namespaces may use what is the operator's own; beside its own namespace none when absent. */
  readonly trust?: TrustFlags | undefined;
  /** For tests: other ways to stores and members than there are in production. */
  readonly openStore?: BackupDeps["openStore"] | undefined;
  readonly connect?: Connect | undefined;
}

/** What takes longer than a reconcile may, for one EtcdBackup. */
export interface Works {
  readonly backupWork: (backup: Stored<EtcdBackup>) => Work<RunOutcome, RunProgress>;
  readonly drillWork: (backup: Stored<EtcdBackup>, about: DrillAbout) => Work<DrillOutcome, never>;
}

/** The same with everything that it needs. */
export function worksOf(options: WorkOptions, { client, clock, random, isLeading, scope }: ControllerContext): Works {
  const {
    image,
    imagePullSecrets,
    streams = streamTurns(),
    claimTurns = new ClaimTurns(),
    openStore,
    connect,
  } = options;
  const trust = trustOf(client, scope.home, options.trust);
  const storeDeps = { client, trust, clock, random, claimTurns, image, imagePullSecrets };
  const parts = {
    client,
    trust,
    openStore: openStore ?? ((request, signal) => openBackupStore(storeDeps, request, signal)),
    clock,
    fence: fenceOf(isLeading),
    connect,
    random,
    image,
    imagePullSecrets,
  } satisfies BackupDeps & Omit<DrillParts, "turn">;
  return {
    backupWork:
      (backup) =>
      ({ signal, report, recorded }) => {
        const timeoutSeconds = backup.spec.backupPolicy?.timeoutInSecond;
        const work = (limited: AbortSignal, untimed: Untimed) => {
          const turn = () => {
            const { namespace } = backup.metadata;
            const step = `Waiting for a transfer slot: none is free (${streams.limits})`;
            if (streams.isFullFor(namespace)) report({ step });
            return untimed(() => streams.take(limited, STREAM_URGENCY.backup, namespace));
          };
          const waiting: Waiting = (step, wait) => {
            report({ step });
            return untimed(wait);
          };
          return takeBackup(parts, { backup, report, recorded, turn, waiting }, limited);
        };
        return runBackup(work, { clock, timeoutSeconds }, signal);
      },
    drillWork:
      (backup, about) =>
      ({ signal }) =>
        runDrill(
          { ...parts, turn: (stop) => streams.take(stop, STREAM_URGENCY.drill, backup.metadata.namespace) },
          { backup, about },
          signal,
        ),
  };
}
