import * as z from "zod";
import { storeBlocks, storeRules, storeType } from "./backup/backup-store.ts";
import { newBackupEndsInTime } from "./backup/backup-time-limit.ts";
import { schedule, timeZone } from "./backup/schedule.ts";
import { restorePoint, storedSnapshot, transferProgress } from "./backup/stored-snapshot.ts";
import { conditions } from "./condition.ts";
import { metadata } from "./metadata.ts";
import { duration, int32, int64, objectName, timestamp } from "./schema/primitives.ts";
import { matching, type Rule, withRules } from "./schema/rule.ts";

const policyShape = z.object({
  timeoutInSecond: duration()
    .optional()
    .describe("How long one backup may take; 0 means the default, 3600, and more than 21600 counts as 21600."),
  backupIntervalInSecond: duration()
    .optional()
    .describe("Makes the backup periodic: seconds from one to the next, the first at once. 0 means once."),
  schedule: schedule()
    .optional()
    .describe("Makes the backup periodic: a cron schedule of five fields, instead of an interval."),
  timeZone: timeZone().optional().describe("IANA time zone of `schedule` and `drillSchedule`; UTC when absent."),
  maxBackups: int32(0).optional().describe("Periodic backups to keep; 0 keeps all."),
  maxAgeInSecond: duration().optional().describe("Periodic backups older than this are removed; 0 keeps all."),
  drillSchedule: schedule()
    .optional()
    .describe("When to prove the newest backup by restoring it into a throw-away cluster: a cron schedule."),
});

type Policy = z.output<typeof policyShape>;

const oneRhythm: Rule<Policy> = {
  holds: (policy) => !policy.schedule || !policy.backupIntervalInSecond,
  cel: "!has(self.schedule) || !has(self.backupIntervalInSecond) || self.backupIntervalInSecond == 0",
  message: "schedule '{}' and backupIntervalInSecond are both set: keep one of them",
  offender: { of: (policy) => policy.schedule ?? "", cel: "self.schedule" },
};

const zoneHasSchedule: Rule<Policy> = {
  holds: (policy) => !policy.timeZone || Boolean(policy.schedule ?? policy.drillSchedule),
  cel: "!has(self.timeZone) || has(self.schedule) || has(self.drillSchedule)",
  message: "timeZone '{}' has no effect: set schedule or drillSchedule, or remove it",
  offender: { of: (policy) => policy.timeZone ?? "", cel: "self.timeZone" },
};

const HOST = String.raw`([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])`;

const endpoint = withRules(z.string().max(2048), [
  matching(
    `^(https?://${HOST}(:[0-9]{1,5})?/?|${HOST}:[0-9]{1,5})$`,
    "'{}' is not an endpoint of etcd: write 'host:port' or 'http(s)://host:port', such as 'http://example-etcd-cluster-client:2379'",
  ),
]);

const specShape = z.object({
  etcdEndpoints: z
    .array(endpoint)
    .max(64)
    .optional()
    .describe(
      "Members to take the snapshot from, as `host:port` or URLs. Endpoints outside the namespace need TLS and `clientTLSSecret`, or a trusted namespace.",
    ),
  etcdCluster: z
    .object({ name: objectName().min(1).describe("Name of the EtcdCluster.") })
    .optional()
    .describe("The EtcdCluster in the same namespace to back up, instead of `etcdEndpoints`."),
  storageType: storeType.describe("Type of the store for the backup; set the block of the same name."),
  clientTLSSecret: objectName()
    .optional()
    .describe("Secret with `etcd-client.crt`, `etcd-client.key` and `etcd-client-ca.crt`."),
  backupPolicy: withRules(policyShape, [oneRhythm, zoneHasSchedule])
    .optional()
    .describe("When to take backups, and how many to keep."),
  ...storeBlocks,
});

type Spec = z.output<typeof specShape>;

const oneOrigin: Rule<Spec> = {
  holds: (spec) => Boolean(spec.etcdEndpoints?.length) !== Boolean(spec.etcdCluster),
  cel: "(has(self.etcdEndpoints) && size(self.etcdEndpoints) > 0) != has(self.etcdCluster)",
  message: "{} of etcdEndpoints and etcdCluster are set: set exactly one of them",
  offender: {
    of: (spec) => (spec.etcdCluster ? "both" : "none"),
    cel: "(has(self.etcdCluster) ? 'both' : 'none')",
  },
};

const drill = z.object({
  lastRun: timestamp().optional().describe("When the newest drill began."),
  nextRun: timestamp().optional().describe("When the next one is due."),
  succeeded: z.boolean().optional().describe("Whether the newest drill restored the backup successfully."),
  reason: z.string().max(32_768).optional().describe("Why the drill failed; empty when it succeeded."),
  path: z.string().max(2048).optional().describe("The backup that was restored in the drill."),
  revision: int64(0).optional().describe("Revision of the restored member."),
  keys: int64(0).optional().describe("Number of keys in the restored member."),
  sizeBytes: int64(0).optional().describe("Size of the backup."),
  durationSeconds: int64(0).optional().describe("Duration of the drill."),
  recoveryTimeSeconds: int64(0)
    .optional()
    .describe("Time from the start of the drill until the restored member was ready."),
  recoveryPointSeconds: int64(0).optional().describe("Age of the backup when the drill began."),
});

const status = z.object({
  observedGeneration: int64(0).optional().describe("Generation of the spec that this status was computed from."),
  succeeded: z.boolean().optional().describe("Whether the newest backup exists and is verified."),
  Reason: z.string().max(32_768).optional().describe("What failed and what to do; empty when nothing failed."),
  etcdVersion: z.string().max(32).optional().describe("etcd version of the newest backup."),
  etcdRevision: int64(0).optional().describe("Revision of the newest backup."),
  lastSuccessDate: timestamp().nullish().describe("When the newest backup was verified."),
  lastBackup: storedSnapshot.optional().describe("The newest backup that exists and is verified."),
  lastBackupOf: z
    .string()
    .max(4096)
    .optional()
    .describe(
      "Source and store of `lastBackup`, as in the spec at that time; when the spec changes either, `lastBackup` is cleared.",
    ),
  restorePoints: z
    .array(restorePoint)
    .max(20)
    .optional()
    .describe("The newest backups that this EtcdBackup keeps, newest first; restore one by its path."),
  restorePointsTotal: int64(0)
    .optional()
    .describe("Total number of kept backups, including those that are not listed."),
  lastRun: timestamp().optional().describe("When the newest run was due, or began if it was not a scheduled one."),
  nextRun: timestamp().optional().describe("When the next periodic run is due."),
  attempts: int32(0).optional().describe("Attempts of the run that has not succeeded yet."),
  lastError: z.string().max(32_768).optional().describe("Why the newest attempt failed; kept until a run succeeds."),
  lastErrorDate: timestamp().optional().describe("When the newest attempt failed."),
  progress: transferProgress.optional().describe("Progress of the current backup."),
  drill: drill.optional().describe("The newest restore drill."),
  conditions: conditions
    .optional()
    .describe(
      "`Complete` (the newest backup is verified), `Failed` (it is not; it needs a fix or the next run), `Progressing`, `Succeeded`; `Ready` and `Stalled` are `Complete` and `Failed` for tools.",
    ),
});

const shape = z.object({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata,
  spec: withRules(specShape, [oneOrigin, ...storeRules<Spec>("storageType", (spec) => spec.storageType)]).describe(
    "What to back up, where to, and how often.",
  ),
  status: status.optional().describe("Status of the backup."),
});

/** @public */
export type EtcdBackup = z.output<typeof shape>;

export const etcdBackup = withRules(shape, [newBackupEndsInTime]);
