import type { Rule } from "../model/situation.ts";
import { upgradeBackup } from "../objects/upgrade-backup.ts";
import { versionStep } from "./version-step.rule.ts";

// The backup is another controller's, and is not watched: see observe/kubernetes-source.ts.
const RECHECK_MS = 2_000;

/** Asks for the backup that the user wants before members leave their minor. */
export const createBackup: Rule = (now) => {
  const step = versionStep(now);
  if (step.kind !== "backup-first" || step.backup.kind !== "missing") return undefined;
  const { name, template } = step.backup;
  const message = `Creating EtcdBackup ${name} before upgrading members to ${now.spec.version}`;
  return {
    kind: "create-backup",
    backup: upgradeBackup(now.seen.cluster, template),
    reason: "BackupBeforeUpgrade",
    message,
  };
};

/** Nothing else is kept from being done meanwhile. */
export const waitForBackup: Rule = (now) => {
  const step = versionStep(now);
  if (step.kind !== "backup-first") return undefined;
  const message = `Waiting for EtcdBackup ${step.backup.name} before upgrading members to ${now.spec.version}`;
  return { kind: "hold", recheckAfterMs: RECHECK_MS, reason: "BackupBeforeUpgrade", message };
};
