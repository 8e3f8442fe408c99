import { backupController } from "../backup/backup-controller.ts";
import { clusterController } from "../cluster/cluster-controller.ts";
import type { ControllerFactory } from "../controller/controller-context.ts";
import { restoreController } from "../restore/restore-controller.ts";
import type { OperatorFlags, ProgramName } from "./operator-flags.ts";

/** The controllers that a program starts. */
export function controllersOf(program: ProgramName, flags: OperatorFlags): readonly ControllerFactory[] {
  switch (program) {
    case "etcd-operator":
      return [
        clusterController(flags),
        backupController({ image: flags.guardImage }),
        restoreController({ image: flags.guardImage }),
      ];
    case "etcd-backup-operator":
      return [backupController({ image: flags.guardImage })];
    case "etcd-restore-operator":
      return [restoreController({ image: flags.guardImage })];
  }
}
