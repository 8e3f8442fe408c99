import { pullSecrets } from "@etcd-operator/kubernetes-client";
import type { Affinity, LocalObjectReference, Pod } from "kubernetes-types/core/v1.d.ts";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import { LONGEST_BACKUP_SECONDS } from "../../api/backup/backup-time-limit.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import {
  TRANSFER_PATH,
  TRANSFER_PORT,
  TRANSFER_VOLUME,
  transferSecretName,
  WORKER_CONTAINER,
  WORKER_LABELS,
  WORKER_OWNER_LABEL,
} from "../names.ts";
import { containerLikeItsCluster, likeItsCluster, withCpuLimitOf } from "./like-its-cluster.ts";

export interface WorkerPod {
  readonly namespace: string;
  readonly name: string;
  readonly owner: OwnerReference;
  /** Our own. */
  readonly image: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  /** spec.pod of the cluster that it works for, if there is one. */
  readonly policy?: EtcdCluster["spec"]["pod"];
  readonly claimName: string;
  /** Where it has to run, if that is known; the scheduler is asked all the same. */
  readonly nodeName?: string | undefined;
}

const RESOURCES = { requests: { cpu: "50m", memory: "64Mi" }, limits: { memory: "256Mi" } };
const VOLUME_PATH = "/var/backups";
/** Longer than any backup may take; one whose operator is gone ends sooner, by itself, unless it never started. */
const LONGEST_SECONDS = LONGEST_BACKUP_SECONDS + 3_600;

/** The pod that makes a volume an object store, as long as it is needed. */
export function workerPod({
  namespace,
  name,
  owner,
  image,
  imagePullSecrets,
  policy,
  claimName,
  nodeName,
}: WorkerPod): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace,
      name,
      labels: { ...WORKER_LABELS, [WORKER_OWNER_LABEL]: owner.uid },
      ownerReferences: [owner],
    },
    spec: {
      // It ends by itself when it gets no requests any more.
      restartPolicy: "Never",
      activeDeadlineSeconds: LONGEST_SECONDS,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 10,
      ...likeItsCluster(policy),
      // A registry that needs credentials for etcd's image may well be the one that has ours.
      ...pullSecrets(policy?.imagePullSecrets, imagePullSecrets),
      ...(nodeName !== undefined && { affinity: onNode(nodeName) }),
      containers: [
        {
          name: WORKER_CONTAINER,
          image,
          ...(policy?.imagePullPolicy && { imagePullPolicy: policy.imagePullPolicy }),
          command: ["etcd-store-worker", "serve", VOLUME_PATH],
          ports: [{ name: "transfer", containerPort: TRANSFER_PORT, protocol: "TCP" }],
          resources: withCpuLimitOf(policy, RESOURCES),
          securityContext: containerLikeItsCluster(policy),
          volumeMounts: [
            { name: "backups", mountPath: VOLUME_PATH },
            { name: TRANSFER_VOLUME, mountPath: TRANSFER_PATH, readOnly: true },
          ],
          terminationMessagePolicy: "FallbackToLogsOnError",
        },
      ],
      volumes: [
        { name: "backups", persistentVolumeClaim: { claimName } },
        { name: TRANSFER_VOLUME, secret: { secretName: transferSecretName(name) } },
      ],
    },
  };
}

function onNode(name: string): Affinity {
  const term = { matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] };
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
}
