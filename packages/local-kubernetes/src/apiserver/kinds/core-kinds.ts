import * as cluster from "../table/cluster-columns.ts";
import { podColumns } from "../table/pod-columns.ts";
import * as service from "../table/service-columns.ts";
import { type BuiltinKind, selectable } from "./builtin.ts";
import type { Subresource } from "./resource.ts";
import { configMapRules, secretRules } from "./rules/config-rules.ts";
import { namespaceRules } from "./rules/namespace-rules.ts";
import { podRules } from "./rules/pod-rules.ts";
import { serviceRules } from "./rules/service-rules.ts";
import * as small from "./rules/small-rules.ts";
import { claimRules, volumeRules } from "./rules/volume-rules.ts";

const all = ["all"];

const podSubresources: readonly Subresource[] = [
  { name: "binding", kind: "Binding", verbs: ["create"] },
  { name: "eviction", kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] },
  { name: "exec", kind: "PodExecOptions", verbs: ["create", "get"] },
  { name: "log", kind: "Pod", verbs: ["get"] },
];

const podFields = selectable({
  "spec.nodeName": "",
  "spec.restartPolicy": "",
  "spec.schedulerName": "",
  "spec.serviceAccountName": "",
  "spec.hostNetwork": "false",
  "status.phase": "",
  "status.podIP": "",
  "status.nominatedNodeName": "",
});

const eventFields = selectable({
  "involvedObject.kind": "",
  "involvedObject.namespace": "",
  "involvedObject.name": "",
  "involvedObject.uid": "",
  "involvedObject.apiVersion": "",
  "involvedObject.resourceVersion": "",
  "involvedObject.fieldPath": "",
  reason: "",
  reportingComponent: "",
  "source.component": "",
  type: "",
});

/** The kinds of the core group. */
export const CORE_KINDS: readonly BuiltinKind[] = [
  { kind: "ConfigMap", short: ["cm"], columns: cluster.configMapColumns, rules: configMapRules },
  {
    kind: "Endpoints",
    plural: "endpoints",
    createsOnUpdate: true,
    short: ["ep"],
    columns: service.endpointsColumns,
    deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    rules: small.endpointsRules,
  },
  {
    kind: "Event",
    nameRule: "path-segment",
    short: ["ev"],
    createsOnUpdate: true,
    fields: eventFields,
    columns: cluster.eventColumns,
    rules: small.eventRules,
  },
  {
    kind: "Namespace",
    scope: "Cluster",
    short: ["ns"],
    verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
    nameRule: "label",
    status: true,
    subresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }],
    fields: { ...selectable({ "status.phase": "" }), name: ({ metadata }) => metadata.name ?? "" },
    columns: cluster.namespaceColumns,
    rules: namespaceRules,
  },
  {
    kind: "Node",
    scope: "Cluster",
    short: ["no"],
    status: true,
    fields: selectable({ "spec.unschedulable": "false" }),
    columns: cluster.nodeColumns,
    rules: small.nodeRules,
  },
  {
    kind: "PersistentVolumeClaim",
    short: ["pvc"],
    status: true,
    returnedWhenDeleted: true,
    columns: cluster.claimColumns,
    rules: claimRules,
  },
  {
    kind: "PersistentVolume",
    scope: "Cluster",
    short: ["pv"],
    status: true,
    returnedWhenDeleted: true,
    columns: cluster.volumeColumns,
    rules: volumeRules,
  },
  {
    kind: "Pod",
    short: ["po"],
    categories: all,
    status: true,
    generation: true,
    subresources: podSubresources,
    returnedWhenDeleted: true,
    fields: podFields,
    columns: podColumns,
    rules: podRules,
  },
  { kind: "Secret", fields: selectable({ type: "" }), columns: cluster.secretColumns, rules: secretRules },
  {
    kind: "ServiceAccount",
    short: ["sa"],
    returnedWhenDeleted: true,
    subresources: [
      { name: "token", kind: "TokenRequest", group: "authentication.k8s.io", version: "v1", verbs: ["create"] },
    ],
    columns: cluster.serviceAccountColumns,
  },
  {
    kind: "Service",
    short: ["svc"],
    createsOnUpdate: true,
    categories: all,
    nameRule: "dns1035",
    status: true,
    returnedWhenDeleted: true,
    fields: selectable({ "spec.clusterIP": "", "spec.type": "" }),
    columns: service.serviceColumns,
    rules: serviceRules,
  },
];
