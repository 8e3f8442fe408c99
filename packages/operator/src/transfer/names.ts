import { GROUP } from "../api/group.ts";

/** Where workers listen; beside those of etcd, because the seed of a restored cluster has them all. */
export const TRANSFER_PORT = 2382;

/** The Secret by which a pod and the operator authenticate each other; it belongs to the pod and is deleted with it. */
export function transferSecretName(pod: string): string {
  return `${pod}-transfer`;
}

/** By these names the state of the containers is found in the status of a pod. */
export const RECEIVE_CONTAINER = "receive";
export const RESTORE_CONTAINER = "restore";
export const WORKER_CONTAINER = "worker";

/**
 * On a pod that restores a snapshot: whether it still has to. Init containers run again when the pod's sandbox is
 * rebuilt, after a reboot of the node perhaps, and must not restore over what the member has written since.
 */
export const RESTORE_ONCE_ANNOTATION = `${GROUP}/restore-once`;
/** For a new pod: the tool does its work. The flag says what holds anyway. */
export const RESTORE_ONCE = { [RESTORE_ONCE_ANNOTATION]: "--skip-hash-check=false" } as const;
/** What keeps the tool from doing anything, and lets it succeed. */
export const RESTORED_VALUE = "--help";
/** To be written together with the ids of the member: from now on neither container does anything. */
export const RESTORED = { [RESTORE_ONCE_ANNOTATION]: RESTORED_VALUE } as const;

/** How a pod configures which of the two its containers run; the value is read when they start. */
export const RESTORE_ONCE_VARIABLE = "RESTORE_ONCE";
export const POD_UID_VARIABLE = "POD_UID";

/** The label of pods that serve a volume. */
export const WORKER_LABELS = { app: "etcd-store-worker" } as const;
/** On a pod that serves a volume: UID of the EtcdBackup or EtcdRestore that it works for. */
export const WORKER_OWNER_LABEL = `${GROUP}/owner-uid`;

export const TRANSFER_VOLUME = "transfer";
export const TRANSFER_PATH = "/etc/etcd-transfer";
export const SNAPSHOT_VOLUME = "snapshot";
export const SNAPSHOT_FILE = "/var/etcd-snapshot/snapshot.db";
