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
    .describe("`Sequential`: a seed, then one join at a time. `Parallel`: all members at once from a static list."),
  onExistingVolumes: z
    .enum(["Reattach", "Hold", "Ignore"])
    .default("Reattach")
    .describe(
      "When claims of a deleted EtcdCluster of this name exist. `Reattach`: its members return on them. `Hold`: wait. `Ignore`: start empty.",
    ),
});

const claimRetention = z.object({
  whenDeleted: z
    .enum(["Retain", "Delete"])
    .default("Retain")
    .describe("What happens to the members' claims when the EtcdCluster is deleted."),
  whenScaled: z
    .enum(["Retain", "Delete"])
    .default("Delete")
    .describe("What happens to a member's claim when the member is removed for good."),
});

const memberReplacement = z.object({
  afterSeconds: duration().default(60).describe("How long a member may be gone before another takes its place."),
});

const recovery = z.object({
  onQuorumLoss: z
    .enum(["Manual", "RestoreLatestBackup"])
    .default("Manual")
    .describe(
      "`Manual`: report it and wait for you. `RestoreLatestBackup`: when the data of a majority is provably gone, restore.",
    ),
  graceSeconds: duration().default(300).describe("How long the loss must last before anything is restored."),
  backupName: objectName().optional().describe("The EtcdBackup in the same namespace whose newest backup is used."),
});

const upgrade = z.object({
  backupName: objectName()
    .optional()
    .describe(
      "The EtcdBackup in the same namespace to whose store a snapshot goes, and is verified, before members leave their minor.",
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
    .describe("Image without its tag; the image is `<repository>:v<version>`. A slash at its end is trimmed."),
  version: etcdVersion
    .default("")
    .describe(
      `Version of etcd. Change it by one minor at a time; a leading \`v\` is trimmed. What follows the release, such as \`-amd64\`, is of the image only. Without one a new cluster gets ${NEWEST_TESTED_VERSION}, and one that exists keeps what it runs (\`status.desiredVersion\`).`,
    ),
  paused: z.boolean().optional().describe("While true the operator watches, reports, and changes nothing."),
  pod: podPolicy.optional().describe("How the pods of the members look."),
  TLS: tlsPolicy.optional().describe("How members, clients and the operator prove who they are."),
  etcd: etcdSettings.optional().describe("Tunables of etcd."),
  bootstrap: bootstrap.prefault({}).describe("How a new cluster comes up."),
  persistentVolumeClaimRetentionPolicy: claimRetention.prefault({}).describe("When the members' claims are deleted."),
  memberReplacement: memberReplacement.prefault({}).describe("When a member that is gone is replaced."),
  rebalance: z
    .enum(["Automatic", "Off"])
    .default("Off")
    .describe(
      "When the loss of one node, or of one zone, would take the majority and all has been well for ten minutes. `Automatic`: a new member elsewhere, then one of those that share the node or the zone goes. `Off`: only the condition `Spread` tells.",
    ),
  upgrade: upgrade.optional().describe("What is done before members get another minor version."),
  recovery: withRules(recovery, [restoreNamesBackup]).prefault({}).describe("What happens when a majority is lost."),
});
