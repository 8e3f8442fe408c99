import { setTimeout as pause } from "node:timers/promises";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { API_VERSION, GROUP } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { isRecreated } from "@etcd-operator/testing/scenario/restore/restored.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Acts } from "../acts.ts";
import type { Stage } from "../stage.ts";
import { catchRunning, podActs } from "./pod-acts.ts";

type Kinds = "backup" | "restore" | "catch-restored" | "restore-fails" | "restored";

const NAME = "kept";
const AGAIN = "again";
const CLAIM = "backups";
const volume = { claimName: CLAIM, path: "kept" };
const PATIENCE_MS = 120_000;
/** In which the operator has acted on the last that it read of a member that is frozen now. */
const SAID_BEFORE_MS = 1_000;

/** Backups and restores as docs/operations describes. */
export const restoreActs: Acts<Kinds> = {
  async backup(stage) {
    const { client } = stage.world;
    const metadata = metadataOf(stage, CLAIM);
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await client.create(resources.persistentVolumeClaims, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata,
      spec,
    });
    const backup = { etcdCluster: { name: stage.cluster.name }, storageType: "Volume", volume };
    await client.create(ownResources.etcdBackups, {
      apiVersion: API_VERSION,
      kind: "EtcdBackup",
      metadata: metadataOf(stage, NAME),
      spec: backup as EtcdBackup["spec"],
    });
    const taken = async () => {
      const { status } = await client.get(ownResources.etcdBackups, metadataOf(stage, NAME));
      return status?.succeeded && status;
    };
    await until(taken, { what: "a backup", timeoutMs: PATIENCE_MS, everyMs: 200 });
  },
  async restore(stage, { from }) {
    await stage.witness?.stop();
    await createRestore(stage, NAME, volume.path, from === "survivor");
  },
  async "catch-restored"(stage) {
    await catchRunning(stage, "newcomer");
    await pause(SAID_BEFORE_MS);
    if ((await stage.cluster.get()).status?.restore?.state !== "Joining") return;
    stage.isTooLate = true;
    await podActs.thaw(stage, { do: "thaw", who: ["newcomer"] });
    await isRestored(stage, NAME);
  },
  async "restore-fails"(stage) {
    const { safetySnapshot } = await restoreBecomes(stage, NAME, "fail", ({ phase }) => phase === "Failed");
    if (!safetySnapshot) throw new Error("nothing was saved before the restore");
    await createRestore(stage, AGAIN, safetySnapshot.path ?? "", false);
  },
  restored: (stage, { isSecond }) => isRestored(stage, isSecond ? AGAIN : NAME),
};

async function createRestore(stage: Stage, name: string, path: string, preferNewerSurvivor: boolean): Promise<void> {
  const store = { backupStorageType: "Volume", volume: { ...volume, path } };
  await stage.world.client.create(ownResources.etcdRestores, {
    apiVersion: API_VERSION,
    kind: "EtcdRestore",
    metadata: metadataOf(stage, name),
    spec: { etcdCluster: { name: stage.cluster.name }, ...store, preferNewerSurvivor } as EtcdRestore["spec"],
  });
}

type RestoreStatus = NonNullable<EtcdRestore["status"]>;

async function restoreBecomes(
  stage: Stage,
  name: string,
  what: string,
  is: (status: RestoreStatus) => boolean,
): Promise<RestoreStatus> {
  let last: EtcdRestore["status"];
  const look = async () => {
    last = (await stage.world.client.get(ownResources.etcdRestores, metadataOf(stage, name))).status;
    return last !== undefined && is(last) && last;
  };
  const patience = { what: `restore ${name} to ${what}`, timeoutMs: PATIENCE_MS, everyMs: 200 };
  return until(look, patience).catch((error: Error) => {
    throw new Error(`${error.message}; its status: ${JSON.stringify(last)}`);
  });
}

function metadataOf({ namespace }: Stage, name: string) {
  return { namespace, name, annotations: { [`${GROUP}/scope`]: "clusterwide" } };
}

/** Waits for its success, and has the witness hold the new cluster to what was in what it was made from. */
async function isRestored(stage: Stage, name: string): Promise<void> {
  const status = await restoreBecomes(stage, name, "succeed", ({ succeeded }) => succeeded === true);
  await isRecreated(stage.cluster);
  await stage.cluster.settled(stage.plan.size, PATIENCE_MS);
  const { kept, undone } = stage.witness?.restoredTo(status.snapshot?.revision ?? 0) ?? { kept: 0, undone: 0 };
  if (kept === 0) throw new Error("nothing was written before the backup, so the restore shows nothing");
  const isFromSurvivor = status.snapshot?.path === status.safetySnapshot?.path;
  if (undone > 0 && isFromSurvivor)
    throw new Error(`${undone} writes were lost, though the survivor was restored from`);
  await stage.witness?.check(await stage.cluster.voters());
  await stage.startWitness("after");
}
