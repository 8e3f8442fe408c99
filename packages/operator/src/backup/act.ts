import type { Fence, TrackedClient } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, keyOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import { ownResources } from "../objects/own-resources.ts";
import type { PodRemover } from "../transfer/pods/owned-pods.ts";
import { expectStillOurs } from "../transfer/still-ours.ts";
import type { Action } from "./action.ts";
import { removeDrillPods } from "./drill/drill-member.ts";
import { FINALIZER } from "./finalizer.ts";
import type { Observation } from "./observation.ts";
import type { BackupRuns, DrillRuns } from "./runs.ts";
import type { Works } from "./work.ts";

export interface ActorDeps extends Works {
  readonly client: PodRemover & Pick<KubeClient, "get">;
  readonly runs: Pick<BackupRuns, "start" | "drop">;
  readonly drills: Pick<DrillRuns, "start" | "drop">;
  readonly fence: Fence;
}

export interface ActContext {
  readonly writer: Pick<TrackedClient, "patch">;
  readonly signal: AbortSignal;
}

/** Carries an action out. What takes long is only begun here. */
export type Act = (seen: Observation, action: Action, context: ActContext) => Promise<void>;

export function createActor({ client, runs, drills, fence, backupWork, drillWork }: ActorDeps): Act {
  return async ({ backup }, action, context) => {
    const key = keyOf(backup.metadata);
    const stillOurs = () => expectStillOurs(client, ownResources.etcdBackups, backup, context.signal);
    switch (action.kind) {
      // Nothing to do but the status that follows.
      case "none":
      case "hold":
      case "obstructed":
      case "record-run":
      case "record-drill":
        return;
      case "add-finalizer":
        return setFinalizers(backup, [...finalizersOf(backup), FINALIZER], fence, context);
      case "remove-finalizer":
        return setFinalizers(backup, finalizersOf(backup), fence, context);
      case "drop-run":
        return runs.drop(key);
      case "start-run":
        await stillOurs();
        fence(`starting a backup of EtcdBackup ${key}`);
        return runs.start(key, action.about, backupWork(backup));
      case "drop-drill":
        return drills.drop(key);
      case "clear-drill":
        await stillOurs();
        fence(`cleaning up a drill of EtcdBackup ${key}`);
        return removeDrillPods(client, ownerOf(backup), context.signal);
      case "start-drill":
        await stillOurs();
        fence(`starting a drill of EtcdBackup ${key}`);
        return drills.start(key, action.about, drillWork(backup, action.about));
    }
  };
}

function ownerOf({ metadata }: Stored<EtcdBackup>) {
  return { namespace: metadata.namespace ?? "default", uid: metadata.uid };
}

/** Those of others. */
function finalizersOf({ metadata }: Stored<EtcdBackup>): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
}

async function setFinalizers(
  { metadata }: Stored<EtcdBackup>,
  finalizers: readonly string[],
  fence: Fence,
  { writer, signal }: ActContext,
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = metadata;
  fence(`changing the finalizers of EtcdBackup ${name}`);
  // A list is replaced completely, so it must be the one that was read.
  const merge = { metadata: { uid, resourceVersion, finalizers } };
  try {
    await writer.patch(ownResources.etcdBackups, { namespace, name }, { merge }, { signal });
  } catch (error) {
    if (!hasCode(error, "not-found")) throw error;
  }
}
