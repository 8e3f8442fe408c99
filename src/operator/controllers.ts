import { clusterController } from "../cluster/cluster-controller.ts";
import type { ControllerFactory } from "../controller/controller-context.ts";
import type { OperatorFlags, ProgramName } from "./operator-flags.ts";

/** The controllers that a program starts; those that are not written yet are not listed. */
export function controllersOf(program: ProgramName, flags: OperatorFlags): readonly ControllerFactory[] {
  switch (program) {
    case "etcd-operator":
      return [clusterController(flags)];
    case "etcd-backup-operator":
      return [];
    case "etcd-restore-operator":
      return [];
  }
}
