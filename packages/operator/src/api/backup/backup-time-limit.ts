import type { EtcdBackup } from "../etcd-backup.ts";
import { celDigits } from "../schema/cel-digits.ts";
import type { Rule } from "../schema/rule.ts";

/** The resources that a run holds while it transfers a snapshot are ones that others wait for. */
export const LONGEST_BACKUP_SECONDS = 21_600;

const INT32_MAX = 2 ** 31 - 1;
const FIELD = "self.spec.backupPolicy.timeoutInSecond";

/** An EtcdBackup older than this rule has a status and keeps its value; it is treated as the longest allowed limit. */
export const newBackupEndsInTime: Rule<Pick<EtcdBackup, "spec" | "status">> = {
  holds: ({ spec, status }) => Boolean(status) || (spec.backupPolicy?.timeoutInSecond ?? 0) <= LONGEST_BACKUP_SECONDS,
  cel: `has(self.status) || !has(self.spec.backupPolicy) || !has(${FIELD}) || ${FIELD} <= ${LONGEST_BACKUP_SECONDS}`,
  message: `timeoutInSecond {} exceeds the limit for one backup: write ${LONGEST_BACKUP_SECONDS} (6 hours) or less`,
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
