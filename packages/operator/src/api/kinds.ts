import type * as z from "zod";
import { etcdBackup } from "./etcd-backup.ts";
import { etcdCluster } from "./etcd-cluster.ts";
import { etcdRestore } from "./etcd-restore.ts";

/** All that the API server needs to know of one of our kinds, beside its schema. */
export interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly schema: z.ZodType;
  readonly columns: readonly Column[];
  readonly scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string };
}

interface Column {
  readonly name: string;
  readonly type: "integer" | "string" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description: string;
  /** Shown by `kubectl get -o wide` only when above zero. */
  readonly priority?: number;
}

export const kinds = {
  EtcdCluster: {
    kind: "EtcdCluster",
    plural: "etcdclusters",
    shortNames: ["etcd"],
    description: "A cluster of etcd members that the operator creates, resizes, upgrades and heals.",
    schema: etcdCluster,
    scale: {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.size",
      labelSelectorPath: ".status.labelSelector",
    },
    columns: [
      {
        name: "Ready",
        type: "string",
        jsonPath: ".status.ready",
        description: "Ready and desired members",
      },
      { name: "Version", type: "string", jsonPath: ".status.currentVersion", description: "Running version" },
      { name: "Status", type: "string", jsonPath: ".status.state", description: "Current state" },
      { name: "Leader", type: "string", jsonPath: ".status.leader", description: "Leader", priority: 1 },
      {
        name: "DB Size",
        type: "string",
        jsonPath: ".status.databaseSize",
        description: "Size of the largest database file",
        priority: 1,
      },
      {
        name: "Phase",
        type: "string",
        jsonPath: ".status.phase",
        description: "Phase of the cluster, as in coreos/etcd-operator",
        priority: 1,
      },
    ],
  },
  EtcdBackup: {
    kind: "EtcdBackup",
    plural: "etcdbackups",
    shortNames: [],
    description: "A snapshot of a cluster in an object store or on a volume, taken once or periodically.",
    schema: etcdBackup,
    columns: [
      { name: "Storage", type: "string", jsonPath: ".spec.storageType", description: "Type of the store" },
      {
        name: "Status",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Progressing")].reason',
        description: "Current step",
      },
      {
        name: "Progress",
        type: "string",
        jsonPath: ".status.progress.done",
        description: "Progress of the current step",
      },
      {
        name: "Succeeded",
        type: "boolean",
        jsonPath: ".status.succeeded",
        description: "Whether the backup is verified",
      },
      {
        name: "Reason",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Succeeded")].reason',
        description: "Reason of the condition",
      },
      {
        name: "Revision",
        type: "integer",
        jsonPath: ".status.etcdRevision",
        description: "Revision of the newest backup",
      },
      {
        name: "Last-Success",
        type: "date",
        jsonPath: ".status.lastSuccessDate",
        description: "When the newest backup was verified",
      },
      {
        name: "Backups",
        type: "integer",
        jsonPath: ".status.restorePointsTotal",
        description: "Number of kept backups",
        priority: 1,
      },
      {
        name: "Next-Run",
        type: "string",
        jsonPath: ".status.nextRun",
        description: "When the next backup is due",
        priority: 1,
      },
      { name: "Message", type: "string", jsonPath: ".status.Reason", description: "What failed", priority: 1 },
    ],
  },
  EtcdRestore: {
    kind: "EtcdRestore",
    plural: "etcdrestores",
    shortNames: [],
    description: "Restores a cluster from a backup.",
    schema: etcdRestore,
    columns: [
      { name: "Cluster", type: "string", jsonPath: ".spec.etcdCluster.name", description: "Cluster restored" },
      { name: "Phase", type: "string", jsonPath: ".status.phase", description: "Phase of the restore" },
      { name: "Progress", type: "string", jsonPath: ".status.progress.done", description: "Progress of the phase" },
      {
        name: "Succeeded",
        type: "boolean",
        jsonPath: ".status.succeeded",
        description: "Whether the restored cluster is healthy",
      },
      {
        name: "Reason",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Restored")].reason',
        description: "Reason of the condition",
      },
      { name: "Message", type: "string", jsonPath: ".status.reason", description: "What failed", priority: 1 },
    ],
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

export function isKindName(name: string): name is KindName {
  return Object.hasOwn(kinds, name);
}
