import { listOf, type Rule } from "../model/situation.ts";
import { recoveryRestore } from "../objects/recovery-restore.ts";
import { provablyLost } from "./provable-loss.rule.ts";
import { recoveryOf } from "./recovery.rule.ts";

/** Restores by itself where the user has asked for it, once: what is restored may lack what was written since the backup. */
export const recoverFromBackup: Rule = (now) => {
  const recovery = recoveryOf(now);
  if (recovery?.kind !== "due") return undefined;
  const lost = provablyLost(now);
  const restore = recoveryRestore(now.seen.cluster, recovery.backup);
  const message = `The data of ${listOf(lost)} is gone, and with it the majority: EtcdRestore ${restore.metadata.name} is made, as spec.recovery asks`;
  return { kind: "create-restore", restore, lost, reason: "RecoveryStarted", message };
};
