import * as z from "zod";
import { storeBlocks, storeRules, storeType } from "./backup/backup-store.ts";
import { storedSnapshot, transferProgress } from "./backup/stored-snapshot.ts";
import { clusterNameRule } from "./cluster/cluster-name.ts";
import { conditions } from "./condition.ts";
import { etcdClusterSpec } from "./etcd-cluster-spec.ts";
import { metadata } from "./metadata.ts";
import { newTemplateForgesNothing } from "./reserved-keys.ts";
import { int64, timestamp } from "./schema/primitives.ts";
import { type Rule, withRules } from "./schema/rule.ts";

const clusterName = withRules(z.string().max(253), [clusterNameRule<string>("self", (name) => name)]);

const MOST_KEYS = 256;

const hasFewKeys: Rule<Record<string, string>> = {
  holds: (map) => Object.keys(map).length <= MOST_KEYS,
  cel: `size(self) <= ${MOST_KEYS}`,
  message: `more than ${MOST_KEYS} keys: remove some`,
};

const keys = withRules(z.record(z.string(), z.string()), [hasFewKeys]).meta({ maxProperties: MOST_KEYS });

const clusterTemplate = z.object({
  metadata: z
    .object({
      labels: keys
        .optional()
        .describe("Labels of the new EtcdCluster; keys of `etcd.database.coreos.com/` are reserved."),
      annotations: keys
        .optional()
        .describe("Annotations of the new EtcdCluster; of `etcd.database.coreos.com/` only `scope`."),
    })
    .optional()
    .describe("Labels and annotations of the new EtcdCluster."),
  spec: etcdClusterSpec.describe("Spec of the new EtcdCluster."),
});

/** More than any cluster writes between a backup and its restore. */
const DEFAULT_REVISION_BUMP = 1_000_000_000;
/**
 * What ten thousand writes a second make in three years. etcd counts in int64, JSON and what reads it up to 2^53: a
 * revision above that is in no status and no metadata, and a backup that has it is called damaged. This leaves room for
 * nine thousand restores of the largest bump.
 */
const LARGEST_REVISION_BUMP = 1_000_000_000_000;

const specShape = z.object({
  etcdCluster: z
    .object({ name: clusterName.describe("Name of the EtcdCluster.") })
    .describe("The EtcdCluster to restore: one that exists, or a new one made from `clusterTemplate`."),
  clusterTemplate: clusterTemplate.optional().describe("Template of the cluster, used when it does not exist yet."),
  backupStorageType: storeType.describe("Type of the store that has the backup; set the block of the same name."),
  revisionBump: int64(0, LARGEST_REVISION_BUMP)
    .default(DEFAULT_REVISION_BUMP)
    .describe(
      "How far revisions are raised above the highest known one of the backup and the members, so that watchers never see a revision twice. 0 disables it; at most 10¹². Needs etcd 3.4.27 or 3.5.10.",
    ),
  preferNewerSurvivor: z
    .boolean()
    .optional()
    .describe("Restore from a member that still responds, if its data is newer than the backup."),
  ...storeBlocks,
});

type Spec = z.output<typeof specShape>;

const status = z.object({
  observedGeneration: int64(0).optional().describe("Generation of the spec that this status was computed from."),
  succeeded: z.boolean().optional().describe("Whether the cluster is healthy at the backup's revision."),
  reason: z.string().max(32_768).optional().describe("What failed and what to do; empty when nothing failed."),
  phase: z
    .enum(["Verifying", "Saving", "Restoring", "Joining", "Succeeded", "Failed"])
    .optional()
    .describe(
      "`Verifying` the backup, `Saving` a snapshot of a member that still responds, `Restoring` the first member, `Joining` the others.",
    ),
  startedAt: timestamp().optional().describe("When the restore began."),
  finishedAt: timestamp().optional().describe("When the restore succeeded or failed."),
  snapshot: storedSnapshot.optional().describe("The verified snapshot that is restored."),
  safetySnapshot: storedSnapshot
    .optional()
    .describe("Safety snapshot of the cluster before anything was changed; restore it to undo the restore."),
  progress: transferProgress.optional().describe("Progress of the current step."),
  conditions: conditions
    .optional()
    .describe(
      "`Complete`, `Failed`, and the steps `Verified`, `Saved`, `Restored`; `Ready` and `Stalled` are `Complete` and `Failed` for tools.",
    ),
});

const shape = z.object({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata,
  spec: withRules(
    specShape,
    storeRules<Spec>("backupStorageType", (spec) => spec.backupStorageType),
  ).describe("Which backup to restore, and into which cluster."),
  status: status.optional().describe("Status of the restore."),
});

/** @public */
export type EtcdRestore = z.output<typeof shape>;

export const etcdRestore = withRules(shape, newTemplateForgesNothing);
