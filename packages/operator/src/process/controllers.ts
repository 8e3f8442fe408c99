import { backupController } from "../backup/backup-controller.ts";
import { clusterController } from "../cluster/controller.ts";
import type { ControllerFactory } from "../context/controller-context.ts";
import { streamTurns } from "../context/stream-turns.ts";
import { restoreController } from "../restore/restore-controller.ts";
import { ClaimTurns } from "../transfer/volume/claim-turns.ts";
import type { OperatorFlags, ProgramName } from "./operator-flags.ts";

/** The controllers that a program starts, and the image of the pods that they make for work of ours. */
export function controllersOf(program: ProgramName, flags: OperatorFlags, image: string): readonly ControllerFactory[] {
  const imagePullSecrets = flags.imagePullSecrets.map((name) => ({ name }));
  const trust = { trustedNamespaces: flags.trustedNamespaces, allowsLoopback: flags.allowLoopbackEndpoints };
  const shared = {
    image,
    imagePullSecrets,
    streams: streamTurns({ ofManyNamespaces: flags.clusterWide }),
    claimTurns: new ClaimTurns(),
    trust,
  };
  switch (program) {
    case "etcd-operator":
      return [clusterController({ ...flags, guardImage: image }), backupController(shared), restoreController(shared)];
    case "etcd-backup-operator":
      return [backupController(shared)];
    case "etcd-restore-operator":
      return [restoreController(shared)];
  }
}
