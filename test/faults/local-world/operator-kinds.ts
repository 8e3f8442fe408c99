import type { Resource } from "../../../src/kubernetes/resource.ts";
import { resources } from "../../../src/kubernetes/resources.ts";
import { ownResources } from "../../../src/objects/own-resources.ts";

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
