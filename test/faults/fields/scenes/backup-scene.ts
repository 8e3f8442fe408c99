import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { endState } from "../../checks/end-state.ts";
import type { Stage } from "../../workloads/stage.ts";
import { BACKUP_SPEC, backupEntries } from "../entries/backup-entries.ts";
import { MISSING_BUCKET, STORE_KEY } from "../entries/store-entries.ts";
import type { Trouble } from "../step.ts";
import { createCluster, createNeeds, createStores } from "./needs.ts";
import type { Scene } from "./scene.ts";

const BACKUP = "backup";

/** What may be wrong with where a backup lies. */
export const STORE_TROUBLES: readonly Trouble[] = [
  {
    name: "no-such-bucket",
    path: "s3.path",
    value: `${MISSING_BUCKET}/${STORE_KEY}`,
    says: new RegExp(MISSING_BUCKET),
  },
  { name: "no-such-secret", path: "s3.awsSecret", value: "none-such", says: /none-such/ },
];

/** A cluster of one and a backup of it that was taken once. */
export const backupScene: Scene = {
  resource: ownResources.etcdBackups,
  name: BACKUP,
  spec: BACKUP_SPEC,
  specInTrouble: BACKUP_SPEC,
  entries: backupEntries,
  troubles: [
    ...STORE_TROUBLES,
    { name: "no-such-cluster", path: "etcdCluster.name", value: "none-such", says: /none-such/ },
  ],
  async prepare(stage, spec) {
    await createNeeds(stage);
    await createStores(stage);
    await createCluster(stage);
    await stage.create(ownResources.etcdBackups, BACKUP, { spec });
    await stage.time.until(() => unsettled(stage).length === 0, LIMIT_MS);
  },
  unsettled,
  told: ({ backup }) =>
    (backup?.status?.conditions ?? [])
      .filter(({ type, status }) => type === "Succeeded" && status !== "True")
      .map(({ message = "" }) => message),
  picture: ({ objects }) => endState(objects).filter((line) => !PASSING.test(line)),
  harm: () => [],
};

const LIMIT_MS = 600_000;

function unsettled({ backup }: Stage): readonly string[] {
  const { metadata, status } = backup ?? {};
  return [
    ...(status?.observedGeneration === metadata?.generation ? [] : ["the spec was not looked at"]),
    ...(status?.succeeded ? [] : [`no backup: ${status?.Reason ?? status?.lastError}`]),
    ...(status?.progress ? ["a backup is under way"] : []),
    ...(status?.attempts ? [`after ${status.attempts} attempts`] : []),
  ];
}

/** Every backup is another one; and which it is, only the store knows. */
const PASSING =
  /etcdbackups\/.*\.status\.(lastBackup|lastSuccessDate|lastRun|restorePoints|etcdRevision|conditions\[Succeeded\]\.message)|databaseSize|logMark/;
