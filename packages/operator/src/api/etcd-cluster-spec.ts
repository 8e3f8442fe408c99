import * as z from "zod";
import { etcdSettings } from "./cluster/etcd-settings.ts";
import { etcdVersion, NEWEST_TESTED_VERSION } from "./cluster/etcd-version.ts";
import { podPolicy } from "./cluster/pod-policy.ts";
import { tlsPolicy } from "./cluster/tls-policy.ts";
import { duration, int32, objectName } from "./schema/primitives.ts";
import { matching, type Rule, withRules } from "./schema/rule.ts";

const bootstrap = z.object({
  mode: z
    .enum(["Sequential", "Parallel"])
    .default("Sequential")
    .describe(
      "`Sequential`: one initial member, then one join at a time. `Parallel`: all members at once from a static list.",
    ),
  onExistingVolumes: z
    .enum(["Reattach", "Hold", "Ignore"])
    .default("Reattach")
    .describe(
      "What to do with PVCs of a deleted EtcdCluster of this name. `Reattach`: restart its members on them. `Hold`: wait. `Ignore`: start empty.",
    ),
});

const claimRetention = z.object({
  whenDeleted: z
    .enum(["Retain", "Delete"])
    .default("Retain")
    .describe("What happens to the members' PVCs when the EtcdCluster is deleted."),
  whenScaled: z
    .enum(["Retain", "Delete"])
    .default("Delete")
    .describe("What happens to a member's PVC when the member is permanently removed."),
});

const memberReplacement = z.object({
  afterSeconds: duration().default(60).describe("How long a member may be missing before it is replaced."),
});

const recovery = z.object({
  onQuorumLoss: z
    .enum(["Manual", "RestoreLatestBackup"])
    .default("Manual")
    .describe(
      "`Manual`: report it and wait for an administrator. `RestoreLatestBackup`: restore when the data of a majority is provably lost.",
    ),
  graceSeconds: duration().default(300).describe("How long the quorum loss must last before a restore starts."),
  backupName: objectName().optional().describe("The EtcdBackup in the same namespace whose newest backup is used."),
});

const upgrade = z.object({
  backupName: objectName()
    .optional()
    .describe(
      "The EtcdBackup in the same namespace whose store receives a verified snapshot before members change their minor version.",
    ),
});

const restoreNamesBackup: Rule<z.output<typeof recovery>> = {
  holds: (policy) => policy.onQuorumLoss !== "RestoreLatestBackup" || Boolean(policy.backupName),
  // A default is judged before the defaults inside it are filled in, so the field may be absent.
  cel: "!has(self.onQuorumLoss) || self.onQuorumLoss != 'RestoreLatestBackup' || has(self.backupName) && self.backupName != ''",
  message: "onQuorumLoss 'RestoreLatestBackup' needs backupName: name the EtcdBackup to restore from, or use 'Manual'",
};

/** Where images of etcd come from unless the user says otherwise. */
export const DEFAULT_REPOSITORY = "quay.io/coreos/etcd";

const repository = withRules(
  z
    .string()
    .max(512)
    .overwrite((image) => image || DEFAULT_REPOSITORY),
  [
    matching(
      "^[A-Za-z0-9._:/-]*$",
      "'{}' is not an image: write it without tag and spaces, such as 'quay.io/coreos/etcd'",
    ),
  ],
).overwrite((image) => image.replace(/\/+$/, "") || image);

/** What an EtcdCluster should be. */
export const etcdClusterSpec = z.object({
  size: int32(1, 7).describe(
    "Number of members, 1 to 7. An even number tolerates no more failures than the odd one below.",
  ),
  repository: repository
    .default(DEFAULT_REPOSITORY)
    .describe("Image without its tag; the image is `<repository>:v<version>`. A trailing slash is trimmed."),
  version: etcdVersion
    .default("")
    .describe(
      `Version of etcd. Change it by one minor at a time; a leading \`v\` is trimmed. A suffix such as \`-amd64\` applies to the image only. When empty, a new cluster gets ${NEWEST_TESTED_VERSION}, and an existing one keeps its version (\`status.desiredVersion\`).`,
    ),
  paused: z.boolean().optional().describe("While true, the operator reports status but changes nothing."),
  pod: podPolicy.optional().describe("Configuration of the members' pods."),
  TLS: tlsPolicy.optional().describe("TLS between members, clients and the operator."),
  etcd: etcdSettings.optional().describe("Tunables of etcd."),
  bootstrap: bootstrap.prefault({}).describe("How a new cluster is bootstrapped."),
  persistentVolumeClaimRetentionPolicy: claimRetention.prefault({}).describe("When the members' PVCs are deleted."),
  memberReplacement: memberReplacement.prefault({}).describe("When a missing member is replaced."),
  rebalance: z
    .enum(["Automatic", "Off"])
    .default("Off")
    .describe(
      "What to do when the loss of one node or zone would lose quorum and the cluster has been healthy for ten minutes. `Automatic`: add a member elsewhere, then remove one that shares the node or zone. `Off`: only report it in the condition `Spread`.",
    ),
  upgrade: upgrade.optional().describe("What to do before members change their minor version."),
  recovery: withRules(recovery, [restoreNamesBackup]).prefault({}).describe("What to do when quorum is lost."),
});
