import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { endState } from "../../checks/end-state.ts";
import { CLUSTER, type Stage } from "../../workloads/stage.ts";
import { BACKUP_SPEC } from "../entries/backup-entries.ts";
import { RESTORE_SPEC, restoreEntries } from "../entries/restore-entries.ts";
import { backupScene, STORE_TROUBLES } from "./backup-scene.ts";
import type { Scene } from "./scene.ts";

/** A cluster of one, a backup of it, and its restore. */
export const restoreScene: Scene = {
  resource: ownResources.etcdRestores,
  name: CLUSTER,
  spec: RESTORE_SPEC,
  specInTrouble: RESTORE_SPEC,
  entries: restoreEntries,
  troubles: [
    ...STORE_TROUBLES,
    { name: "no-such-backup", path: "s3.path", value: "bucket/etcd/none-such", says: /none-such/ },
    { name: "no-such-cluster", path: "etcdCluster.name", value: "none-such", says: /none-such/ },
  ],
  async prepare(stage, spec) {
    await backupScene.prepare(stage, BACKUP_SPEC);
    await stage.create(ownResources.etcdRestores, CLUSTER, { spec });
    await stage.time.until(() => hasEnded(stage), LIMIT_MS);
  },
  unsettled: (stage) => [
    ...(stage.restore?.status?.succeeded ? [] : [`not restored: ${reasonOf(stage)}`]),
    ...stage.unsettled(),
  ],
  told: (stage) => (stage.restore?.status?.phase === "Failed" ? [reasonOf(stage)] : []),
  picture: ({ objects }) => endState(objects).filter((line) => !PASSING.test(line)),
  harm: () => [],
};

const LIMIT_MS = 1_200_000;

function hasEnded(stage: Stage): boolean {
  const { phase } = stage.restore?.status ?? {};
  return phase === "Failed" || (phase === "Succeeded" && stage.unsettled().length === 0);
}

function reasonOf({ restore }: Stage): string {
  return restore?.status?.reason ?? "";
}

const PASSING = /databaseSize|logMark/;
