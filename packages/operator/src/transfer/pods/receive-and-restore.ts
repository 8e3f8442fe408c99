import type { Version } from "@etcd-operator/etcd-client";
import { factsOf } from "@etcd-operator/etcd-client";
import { restrictedContainer } from "@etcd-operator/kubernetes-client";
import type {
  Container,
  EnvVar,
  ResourceRequirements,
  SecurityContext,
  Volume,
  VolumeMount,
} from "kubernetes-types/core/v1.d.ts";
import {
  POD_UID_VARIABLE,
  RECEIVE_CONTAINER,
  RESTORE_CONTAINER,
  RESTORE_ONCE_ANNOTATION,
  RESTORE_ONCE_VARIABLE,
  SNAPSHOT_FILE,
  SNAPSHOT_VOLUME,
  TRANSFER_PATH,
  TRANSFER_PORT,
  TRANSFER_VOLUME,
  transferSecretName,
} from "../names.ts";

/** What both containers have of their pod. */
interface Surroundings {
  /** Of etcd; where the tool restores to. */
  readonly dataDir: string;
  /** The volume that the directory lies on. */
  readonly dataMount: VolumeMount;
  readonly imagePullPolicy?: string | undefined;
  readonly resources?: ResourceRequirements | undefined;
  /** What the restricted profile asks for, when absent. */
  readonly securityContext?: SecurityContext | undefined;
}

export interface Receiving extends Surroundings {
  /** Our own. */
  readonly image: string;
}

export interface Restoring extends Surroundings {
  /** Of the version that the member will run. */
  readonly etcdImage: string;
  readonly version: Version;
  readonly member: string;
  readonly peerUrl: string;
  /** Never used before: a restore that repeats one can end up with the id of an old cluster. */
  readonly token: string;
  /** How far revisions are raised above those of the snapshot, where the version can; 0 for not at all. */
  readonly revisionBump: number;
}

/**
 * The init container that waits for the snapshot. The pod needs the annotation of `RESTORE_ONCE`, the volumes of
 * `restoreVolumes`, and the Secret of `makeTransferSecret` right after it was made.
 */
export function receiveContainer({ image, dataDir, ...surroundings }: Receiving): Container {
  return {
    name: RECEIVE_CONTAINER,
    image,
    command: ["etcd-store-worker", "receive", SNAPSHOT_FILE, dataDir],
    env: [fromPod(POD_UID_VARIABLE, "metadata.uid"), restoreOnce],
    ports: [{ name: "transfer", containerPort: TRANSFER_PORT, protocol: "TCP" }],
    ...shared(surroundings, [{ name: TRANSFER_VOLUME, mountPath: TRANSFER_PATH, readOnly: true }]),
  };
}

/** The init container after it, which makes a data directory of the snapshot. Images of etcd have no shell. */
export function restoreContainer({ etcdImage, ...restoring }: Restoring): Container {
  const [tool] = factsOf(restoring.version).restoreTools;
  return {
    name: RESTORE_CONTAINER,
    image: etcdImage,
    command: restoreCommand(restoring),
    env: [restoreOnce, ...(tool === "etcdctl" ? [{ name: "ETCDCTL_API", value: "3" }] : [])],
    ...shared(restoring, []),
  };
}

/** The volumes that the two containers need beside that of the data. */
export function restoreVolumes(pod: string): Volume[] {
  return [
    // Of its own, so that a snapshot never takes the room that the member was given.
    { name: SNAPSHOT_VOLUME, emptyDir: {} },
    { name: TRANSFER_VOLUME, secret: { secretName: transferSecretName(pod) } },
  ];
}

function restoreCommand(restoring: Omit<Restoring, "etcdImage">): string[] {
  const { version, member, peerUrl, token, revisionBump, dataDir } = restoring;
  const { restoreTools, canBumpRevision } = factsOf(version);
  return [
    `/usr/local/bin/${restoreTools[0]}`,
    "snapshot",
    "restore",
    SNAPSHOT_FILE,
    `--name=${member}`,
    `--initial-cluster=${member}=${peerUrl}`,
    `--initial-cluster-token=${token}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--data-dir=${dataDir}`,
    ...(canBumpRevision && revisionBump > 0 ? [`--bump-revision=${revisionBump}`, "--mark-compacted"] : []),
    // Without its annotation it would be a second file, which the tool refuses.
    `$(${RESTORE_ONCE_VARIABLE})`,
  ];
}

function shared(surroundings: Omit<Surroundings, "dataDir">, mounts: readonly VolumeMount[]): Omit<Container, "name"> {
  const { dataMount, imagePullPolicy, resources, securityContext = restrictedContainer } = surroundings;
  const snapshotFolder = SNAPSHOT_FILE.slice(0, SNAPSHOT_FILE.lastIndexOf("/"));
  return {
    ...(imagePullPolicy && { imagePullPolicy }),
    ...(resources && { resources }),
    securityContext,
    volumeMounts: [dataMount, { name: SNAPSHOT_VOLUME, mountPath: snapshotFolder }, ...mounts],
    // What it says on the way out becomes the message in the status of the pod.
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
}

const restoreOnce = fromPod(RESTORE_ONCE_VARIABLE, `metadata.annotations['${RESTORE_ONCE_ANNOTATION}']`);

function fromPod(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
