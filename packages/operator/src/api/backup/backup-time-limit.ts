import type { EtcdBackup } from "../etcd-backup.ts";
import { celDigits } from "../schema/cel-digits.ts";
import type { Rule } from "../schema/rule.ts";

/** What a run holds while it transfers a snapshot, others wait for. */
export const LONGEST_BACKUP_SECONDS = 21_600;

const INT32_MAX = 2 ** 31 - 1;
const FIELD = "self.spec.backupPolicy.timeoutInSecond";

/** An EtcdBackup from before this rule has a status, and keeps its value: it counts as the longest. */
export const newBackupEndsInTime: Rule<Pick<EtcdBackup, "spec" | "status">> = {
  holds: ({ spec, status }) => Boolean(status) || (spec.backupPolicy?.timeoutInSecond ?? 0) <= LONGEST_BACKUP_SECONDS,
  cel: `has(self.status) || !has(self.spec.backupPolicy) || !has(${FIELD}) || ${FIELD} <= ${LONGEST_BACKUP_SECONDS}`,
  message: `timeoutInSecond {} is longer than one backup may take: write ${LONGEST_BACKUP_SECONDS} (6 hours) or less`,
  offender: {
    of: ({ spec }) => String(spec.backupPolicy?.timeoutInSecond),
    cel: celDigits(FIELD, INT32_MAX),
  },
  fieldPath: ".spec.backupPolicy.timeoutInSecond",
};

/** What a written limit counts as. */
export function backupTimeLimit(seconds: number): number {
  return Math.min(seconds, LONGEST_BACKUP_SECONDS);
}
