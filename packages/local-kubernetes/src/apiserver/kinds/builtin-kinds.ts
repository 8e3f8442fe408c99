import * as cluster from "../table/cluster-columns.ts";
import * as service from "../table/service-columns.ts";
import * as workload from "../table/workload-columns.ts";
import { type BuiltinKind, builtins, selectable } from "./builtin.ts";
import { CORE_KINDS } from "./core-kinds.ts";
import type { Resource, ScalePaths } from "./resource.ts";
import { crdRules } from "./rules/crd-rules.ts";
import { cronJobRules, jobRules } from "./rules/job-rules.ts";
import { bindingRules, roleRules } from "./rules/role-rules.ts";
import * as small from "./rules/small-rules.ts";
import { storageClassRules } from "./rules/volume-rules.ts";
import * as workloads from "./rules/workload-rules.ts";

const all = ["all"];

const replicas: ScalePaths = {
  specReplicas: "spec.replicas",
  statusReplicas: "status.replicas",
  selector: "spec.selector",
};

const apps: readonly BuiltinKind[] = [
  {
    kind: "Deployment",
    short: ["deploy"],
    categories: all,
    status: true,
    generation: true,
    scale: replicas,
    columns: workload.deploymentColumns,
    rules: workloads.deploymentRules,
  },
  {
    kind: "ReplicaSet",
    short: ["rs"],
    categories: all,
    status: true,
    generation: true,
    scale: replicas,
    fields: selectable({ "status.replicas": "0" }),
    columns: workload.replicaSetColumns,
    rules: workloads.replicaSetRules,
  },
];

const batch: readonly BuiltinKind[] = [
  {
    kind: "CronJob",
    short: ["cj"],
    categories: all,
    status: true,
    generation: true,
    columns: workload.cronJobColumns,
    rules: cronJobRules,
  },
  {
    kind: "Job",
    categories: all,
    status: true,
    generation: true,
    fields: selectable({ "status.successful": "0" }),
    columns: workload.jobColumns,
    rules: jobRules,
  },
];

const rbac: readonly BuiltinKind[] = [
  {
    kind: "ClusterRoleBinding",
    scope: "Cluster",
    nameRule: "path-segment",
    createsOnUpdate: true,
    columns: cluster.bindingColumns,
    rules: bindingRules,
  },
  {
    kind: "ClusterRole",
    scope: "Cluster",
    nameRule: "path-segment",
    createsOnUpdate: true,
    columns: cluster.roleColumns,
    rules: roleRules,
  },
  {
    kind: "RoleBinding",
    nameRule: "path-segment",
    createsOnUpdate: true,
    columns: cluster.bindingColumns,
    rules: bindingRules,
  },
  { kind: "Role", nameRule: "path-segment", createsOnUpdate: true, columns: cluster.roleColumns, rules: roleRules },
];

/** Every kind that is there without a CustomResourceDefinition. */
export const BUILTIN_RESOURCES: readonly Resource[] = [
  ...builtins("", "v1", CORE_KINDS),
  ...builtins("apps", "v1", apps),
  ...builtins("batch", "v1", batch),
  ...builtins("policy", "v1", [
    {
      kind: "PodDisruptionBudget",
      short: ["pdb"],
      needsVersion: true,
      status: true,
      generation: true,
      columns: cluster.budgetColumns,
      rules: small.budgetRules,
    },
  ]),
  ...builtins("coordination.k8s.io", "v1", [
    {
      kind: "Lease",
      needsVersion: true,
      createsOnUpdate: true,
      columns: cluster.leaseColumns,
      rules: small.leaseRules,
    },
  ]),
  ...builtins("discovery.k8s.io", "v1", [
    { kind: "EndpointSlice", generation: true, columns: service.endpointSliceColumns, rules: small.endpointSliceRules },
  ]),
  ...builtins("storage.k8s.io", "v1", [
    {
      kind: "StorageClass",
      plural: "storageclasses",
      scope: "Cluster",
      short: ["sc"],
      returnedWhenDeleted: true,
      columns: cluster.storageClassColumns,
      rules: storageClassRules,
    },
  ]),
  ...builtins("rbac.authorization.k8s.io", "v1", rbac),
  ...builtins("scheduling.k8s.io", "v1", [
    {
      kind: "PriorityClass",
      plural: "priorityclasses",
      scope: "Cluster",
      short: ["pc"],
      generation: true,
      columns: cluster.priorityClassColumns,
      rules: small.priorityClassRules,
    },
  ]),
  ...builtins("apiextensions.k8s.io", "v1", [
    {
      kind: "CustomResourceDefinition",
      scope: "Cluster",
      short: ["crd", "crds"],
      categories: ["api-extensions"],
      needsVersion: true,
      status: true,
      generation: true,
      columns: cluster.roleColumns,
      rules: crdRules,
    },
  ]),
];
