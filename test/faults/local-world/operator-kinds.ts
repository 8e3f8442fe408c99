import type { Resource } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";

/** What an operator makes, looks after, or puts a finalizer on. */
export const OPERATOR_KINDS: readonly Resource[] = [
  ownResources.etcdClusters,
  ownResources.etcdBackups,
  ownResources.etcdRestores,
  resources.pods,
  resources.services,
  resources.podDisruptionBudgets,
  resources.persistentVolumeClaims,
  resources.secrets,
];
