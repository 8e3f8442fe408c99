import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { CronJob, Job } from "kubernetes-types/batch/v1.d.ts";
import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import type {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from "kubernetes-types/core/v1.d.ts";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "kubernetes-types/rbac/v1.d.ts";
import type { StorageClass } from "kubernetes-types/storage/v1.d.ts";
import type { KubeObject } from "./kube-object.ts";
import type { Resource } from "./resource.ts";

/** The kinds of Kubernetes that our programs deal with. Others are made with `namespaced` and `clusterWide`. */
export const resources = {
  configMaps: namespaced<ConfigMap>("v1", "ConfigMap", "configmaps"),
  endpoints: namespaced<Endpoints>("v1", "Endpoints", "endpoints"),
  events: namespaced<Event>("v1", "Event", "events"),
  namespaces: clusterWide<Namespace>("v1", "Namespace", "namespaces"),
  nodes: clusterWide<Node>("v1", "Node", "nodes"),
  persistentVolumeClaims: namespaced<PersistentVolumeClaim>("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  persistentVolumes: clusterWide<PersistentVolume>("v1", "PersistentVolume", "persistentvolumes"),
  pods: namespaced<Pod>("v1", "Pod", "pods"),
  secrets: namespaced<Secret>("v1", "Secret", "secrets"),
  serviceAccounts: namespaced<ServiceAccount>("v1", "ServiceAccount", "serviceaccounts"),
  services: namespaced<Service>("v1", "Service", "services"),

  customResourceDefinitions: clusterWide<CustomResourceDefinition>(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
  ),
  deployments: namespaced<Deployment>("apps/v1", "Deployment", "deployments"),
  replicaSets: namespaced<ReplicaSet>("apps/v1", "ReplicaSet", "replicasets"),
  cronJobs: namespaced<CronJob>("batch/v1", "CronJob", "cronjobs"),
  jobs: namespaced<Job>("batch/v1", "Job", "jobs"),
  leases: namespaced<Lease>("coordination.k8s.io/v1", "Lease", "leases"),
  endpointSlices: namespaced<EndpointSlice>("discovery.k8s.io/v1", "EndpointSlice", "endpointslices"),
  podDisruptionBudgets: namespaced<PodDisruptionBudget>("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
  clusterRoles: clusterWide<ClusterRole>("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles"),
  clusterRoleBindings: clusterWide<ClusterRoleBinding>(
    "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding",
    "clusterrolebindings",
  ),
  roles: namespaced<Role>("rbac.authorization.k8s.io/v1", "Role", "roles"),
  roleBindings: namespaced<RoleBinding>("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  storageClasses: clusterWide<StorageClass>("storage.k8s.io/v1", "StorageClass", "storageclasses"),
};

/** A kind whose objects live in namespaces. */
export function namespaced<T extends KubeObject>(apiVersion: string, kind: string, plural: string): Resource<T> {
  return { ...groupVersion(apiVersion), kind, plural, namespaced: true };
}

/** A kind whose objects live outside namespaces. */
export function clusterWide<T extends KubeObject>(apiVersion: string, kind: string, plural: string): Resource<T> {
  return { ...groupVersion(apiVersion), kind, plural, namespaced: false };
}

function groupVersion(apiVersion: string): { group: string; version: string } {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return { group, version };
}
