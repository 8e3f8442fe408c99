import { formatVersion, type Version } from "@etcd-operator/etcd-client";
import { pullSecrets } from "@etcd-operator/kubernetes-client";
import type { Container, LocalObjectReference, Pod, PodSpec } from "kubernetes-types/core/v1.d.ts";
import { CLIENT_PORT, PEER_PORT } from "../../api/cluster/cluster-names.ts";
import { etcdImage as imageOf } from "../../api/cluster/etcd-version.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { DEFAULT_REPOSITORY } from "../../api/etcd-cluster-spec.ts";
import { API_VERSION } from "../../api/group.ts";
import { RESTORE_ONCE, TRANSFER_PATH, TRANSFER_VOLUME, WORKER_OWNER_LABEL } from "../../transfer/names.ts";
import { containerLikeItsCluster, likeItsCluster } from "../../transfer/pods/like-its-cluster.ts";
import { receiveContainer, restoreContainer, restoreVolumes } from "../../transfer/pods/receive-and-restore.ts";
import { TRANSFER_FILES } from "../../transfer/transfer-files.ts";

export interface DrillPod {
  readonly namespace: string;
  readonly name: string;
  /** The EtcdBackup. */
  readonly backup: { readonly name: string; readonly uid: string };
  /** Our own image. */
  readonly image: string;
  /** For that image; those of the cluster come on top. */
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  /** Of etcd, as it was when the backup was taken. */
  readonly version: Version;
  /** Where the backup comes from, if that is a cluster of ours: its images and nodes are known to do. */
  readonly cluster: EtcdCluster | undefined;
}

/** The pods of drills; those of members have other labels, so that no Service ever leads here. */
export const DRILL_LABELS = { app: "etcd-drill" } as const;
export const DRILL_CONTAINER = "etcd";

const DATA_VOLUME = "etcd-data";
const DATA_PATH = "/var/etcd";
const DATA_DIR = `${DATA_PATH}/data`;
/** Its only member has no peers. */
const PEER_URL = `http://localhost:${PEER_PORT}`;
/** An operator that is gone deletes nothing; the data of a user should not be served for long then. */
const LONGEST_SECONDS = 3 * 3_600;

/** A single throw-away member that restores a snapshot and serves it to the operator alone. */
export function drillPod(drill: DrillPod): Pod {
  const { namespace, name, backup } = drill;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      name,
      labels: { ...DRILL_LABELS, [WORKER_OWNER_LABEL]: backup.uid },
      annotations: { ...RESTORE_ONCE },
      ownerReferences: [{ apiVersion: API_VERSION, kind: "EtcdBackup", ...backup, controller: true }],
    },
    spec: podSpec(drill),
  };
}

function podSpec({ name, image, imagePullSecrets, version, cluster }: DrillPod): PodSpec {
  const policy = cluster?.spec.pod;
  const { resources, imagePullPolicy, imagePullSecrets: ofCluster } = policy ?? {};
  const { repository = DEFAULT_REPOSITORY, version: wanted = "" } = cluster?.spec ?? {};
  const etcdImage = imageOf({ repository, version: wanted }, formatVersion(version));
  const surroundings = {
    dataDir: DATA_DIR,
    dataMount: { name: DATA_VOLUME, mountPath: DATA_PATH },
    imagePullPolicy,
    // The same as etcd's: they never run together.
    resources,
    securityContext: containerLikeItsCluster(policy),
  };
  const restoring = { etcdImage, version, member: name, peerUrl: PEER_URL, token: name, revisionBump: 0 };
  return {
    restartPolicy: "Never",
    activeDeadlineSeconds: LONGEST_SECONDS,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 5,
    ...likeItsCluster(policy),
    ...pullSecrets(ofCluster, imagePullSecrets),
    initContainers: [receiveContainer({ image, ...surroundings }), restoreContainer({ ...restoring, ...surroundings })],
    containers: [
      {
        ...etcdContainer(name, etcdImage),
        securityContext: containerLikeItsCluster(policy),
        ...(imagePullPolicy && { imagePullPolicy }),
        ...(resources && { resources }),
      },
    ],
    volumes: [{ name: DATA_VOLUME, emptyDir: {} }, ...restoreVolumes(name)],
  };
}

/** It accepts only clients with the very certificate that it has itself, because it serves confidential data. */
function etcdContainer(name: string, image: string): Container {
  const file = (each: keyof typeof TRANSFER_FILES) => `${TRANSFER_PATH}/${TRANSFER_FILES[each]}`;
  return {
    name: DRILL_CONTAINER,
    image,
    command: [
      "/usr/local/bin/etcd",
      `--name=${name}`,
      `--data-dir=${DATA_DIR}`,
      `--listen-client-urls=https://0.0.0.0:${CLIENT_PORT}`,
      `--advertise-client-urls=https://${name}:${CLIENT_PORT}`,
      `--listen-peer-urls=http://127.0.0.1:${PEER_PORT}`,
      `--initial-advertise-peer-urls=${PEER_URL}`,
      `--initial-cluster=${name}=${PEER_URL}`,
      `--cert-file=${file("cert")}`,
      `--key-file=${file("key")}`,
      "--client-cert-auth=true",
      `--trusted-ca-file=${file("cert")}`,
    ],
    ports: [{ name: "client", containerPort: CLIENT_PORT, protocol: "TCP" }],
    volumeMounts: [
      { name: DATA_VOLUME, mountPath: DATA_PATH },
      { name: TRANSFER_VOLUME, mountPath: TRANSFER_PATH, readOnly: true },
    ],
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
}
