import type { Accident, AccidentId } from "./accident.ts";
import { restoreWithdrawn, storeAway } from "./accidents/backups.ts";
import { claimDeleted, majorityLost } from "./accidents/disks.ts";
import { clusterDeleted, crdDeleted, orphaned } from "./accidents/objects.ts";
import { clockStepped, operatorRolledBack } from "./accidents/operator.ts";

export const ACCIDENTS: Readonly<Record<AccidentId, Accident>> = {
  "cluster-deleted": clusterDeleted,
  orphaned,
  "crd-deleted": crdDeleted,
  "operator-rolled-back": operatorRolledBack,
  "restore-withdrawn": restoreWithdrawn,
  "majority-lost": majorityLost,
  "store-away": storeAway,
  "clock-stepped": clockStepped,
  "claim-deleted": claimDeleted,
};
