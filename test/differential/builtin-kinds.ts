import type { Draw } from "./draw.ts";
import type { Kind } from "./kind.ts";
import { podSpec, podTemplate } from "./pod-values.ts";
import type { Json } from "./request.ts";

type Row = readonly [
  group: string,
  version: string,
  plural: string,
  kind: string,
  good: (draw: Draw) => Json,
  more?: Partial<Kind>,
];

const CLUSTER_WIDE = { isNamespaced: false };
const selector = { matchLabels: { app: "a" } };

const configMap = (draw: Draw): Json => ({
  ...(draw.chance(0.8) && { data: { a: draw.of(["1", "", "two\nlines", "Ü"]), "b.txt": "x" } }),
  ...(draw.chance(0.2) && { binaryData: { c: "aGk=" } }),
  ...(draw.chance(0.1) && { immutable: draw.chance(0.5) }),
});

const secret = (draw: Draw): Json =>
  draw.of<Json>([
    { stringData: { a: "b" } },
    { data: { a: "aGk=" }, type: "Opaque" },
    { type: "kubernetes.io/basic-auth", stringData: { username: "u" } },
    { type: "example.com/own", immutable: true },
  ]);

const service = (draw: Draw): Json => {
  const port = {
    port: draw.of([80, 2379]),
    ...(draw.chance(0.5) && { name: "client" }),
    ...(draw.chance(0.3) && { targetPort: draw.of<unknown>([8080, "http"]) }),
    ...(draw.chance(0.2) && { protocol: draw.of(["TCP", "UDP"]) }),
  };
  return {
    spec: {
      ports: draw.chance(0.2)
        ? [
            { ...port, name: "client" },
            { name: "peer", port: 2380 },
          ]
        : [port],
      ...(draw.chance(0.7) && { selector: { app: "a" } }),
      ...(draw.chance(0.3) && { clusterIP: "None" }),
      ...(draw.chance(0.2) && { publishNotReadyAddresses: true }),
      ...(draw.chance(0.2) && { sessionAffinity: draw.of(["None", "ClientIP"]) }),
    },
  };
};

const claim = (draw: Draw): Json => ({
  spec: {
    accessModes: [draw.of(["ReadWriteOnce", "ReadWriteMany"])],
    resources: { requests: { storage: draw.of(["1Gi", "500M", "1.5Gi"]) } },
    ...(draw.chance(0.4) && { storageClassName: draw.of(["", "fast"]) }),
    ...(draw.chance(0.2) && { volumeMode: "Filesystem" }),
  },
});

const volume = (draw: Draw): Json => ({
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: draw.of(["1Gi", "10Gi"]) },
    hostPath: { path: "/tmp/x" },
    ...(draw.chance(0.4) && { persistentVolumeReclaimPolicy: draw.of(["Delete", "Retain"]) }),
    ...(draw.chance(0.3) && { storageClassName: "fast" }),
  },
});

const budget = (draw: Draw): Json => ({
  spec: { selector, ...draw.of<Json>([{ minAvailable: 1 }, { maxUnavailable: "50%" }, { maxUnavailable: 1 }]) },
});

const job = (draw: Draw): Json => ({
  ...(draw.chance(0.3) && { completions: draw.between(1, 3) }),
  ...(draw.chance(0.3) && { parallelism: draw.between(0, 2) }),
  ...(draw.chance(0.3) && { backoffLimit: draw.between(0, 3) }),
  ...(draw.chance(0.2) && { ttlSecondsAfterFinished: 10 }),
  ...(draw.chance(0.2) && { suspend: true }),
  template: { spec: { ...podSpec(draw), restartPolicy: draw.of(["Never", "OnFailure"]) } },
});

const lease = (draw: Draw): Json => ({
  spec: {
    holderIdentity: "me",
    leaseDurationSeconds: draw.between(1, 20),
    ...(draw.chance(0.5) && { renewTime: "2024-01-01T00:00:00.000000Z" }),
    ...(draw.chance(0.3) && { leaseTransitions: 2 }),
  },
});

const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }];
const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "view" });
const subjects = (draw: Draw): Json[] => [
  draw.of<Json>([
    { kind: "ServiceAccount", name: "x", namespace: "default" },
    { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
  ]),
];

const workload = (draw: Draw): Json => ({
  ...(draw.chance(0.7) && { replicas: draw.between(0, 3) }),
  selector,
  template: podTemplate(draw),
});

const event = (draw: Draw): Json => ({
  involvedObject: { kind: "Pod", name: "a", namespace: "@{ns}", apiVersion: "v1" },
  reason: draw.of(["Started", "Failed"]),
  message: "something happened",
  type: draw.of(["Normal", "Warning"]),
  source: { component: "test" },
  firstTimestamp: "2024-01-01T00:00:00Z",
  lastTimestamp: "2024-01-01T00:00:00Z",
  count: 1,
});

const slice = (draw: Draw): Json => ({
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.1.2.3"], ...(draw.chance(0.5) && { conditions: { ready: draw.chance(0.5) } }) }],
  ports: [{ name: "a", port: 80, protocol: "TCP" }],
});

const endpoints = (draw: Draw): Json => ({
  ...(draw.chance(0.9) && {
    subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80, ...(draw.chance(0.5) && { name: "a" }) }] }],
  }),
});

const node = (draw: Draw): Json => ({
  spec: {
    ...(draw.chance(0.3) && { unschedulable: true }),
    ...(draw.chance(0.3) && { taints: [{ key: "a", value: "b", effect: draw.of(["NoSchedule", "NoExecute"]) }] }),
  },
});

const ROWS: readonly Row[] = [
  ["", "v1", "configmaps", "ConfigMap", configMap],
  ["", "v1", "secrets", "Secret", secret],
  ["", "v1", "services", "Service", service, { subresources: ["status"] }],
  [
    "",
    "v1",
    "serviceaccounts",
    "ServiceAccount",
    (draw) => (draw.chance(0.3) ? { automountServiceAccountToken: false } : {}),
    { subresources: ["token"] },
  ],
  ["", "v1", "pods", "Pod", (draw) => ({ spec: podSpec(draw) }), { subresources: ["status", "binding", "eviction"] }],
  ["", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", claim, { subresources: ["status"] }],
  ["", "v1", "persistentvolumes", "PersistentVolume", volume, { ...CLUSTER_WIDE, subresources: ["status"] }],
  ["", "v1", "namespaces", "Namespace", () => ({}), { ...CLUSTER_WIDE, subresources: ["status"] }],
  ["", "v1", "nodes", "Node", node, { ...CLUSTER_WIDE, subresources: ["status"] }],
  ["", "v1", "events", "Event", event],
  ["", "v1", "endpoints", "Endpoints", endpoints],
  [
    "apps",
    "v1",
    "deployments",
    "Deployment",
    (draw) => ({ spec: workload(draw) }),
    { subresources: ["status", "scale"] },
  ],
  [
    "apps",
    "v1",
    "replicasets",
    "ReplicaSet",
    (draw) => ({ spec: workload(draw) }),
    { subresources: ["status", "scale"] },
  ],
  ["batch", "v1", "jobs", "Job", (draw) => ({ spec: job(draw) }), { subresources: ["status"] }],
  [
    "batch",
    "v1",
    "cronjobs",
    "CronJob",
    (draw) => ({
      spec: { schedule: draw.of(["* * * * *", "@hourly", "*/5 1 * * 1-5"]), jobTemplate: { spec: job(draw) } },
    }),
    { subresources: ["status"] },
  ],
  ["policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", budget, { subresources: ["status"] }],
  ["coordination.k8s.io", "v1", "leases", "Lease", lease],
  ["discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", slice],
  [
    "storage.k8s.io",
    "v1",
    "storageclasses",
    "StorageClass",
    (draw) => ({ provisioner: "example.com/none", ...(draw.chance(0.3) && { reclaimPolicy: "Retain" }) }),
    CLUSTER_WIDE,
  ],
  ["rbac.authorization.k8s.io", "v1", "roles", "Role", () => ({ rules })],
  ["rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", () => ({ rules }), CLUSTER_WIDE],
  [
    "rbac.authorization.k8s.io",
    "v1",
    "rolebindings",
    "RoleBinding",
    (draw) => ({ subjects: subjects(draw), roleRef: roleRef(draw.of(["Role", "ClusterRole"])) }),
  ],
  [
    "rbac.authorization.k8s.io",
    "v1",
    "clusterrolebindings",
    "ClusterRoleBinding",
    (draw) => ({ subjects: subjects(draw), roleRef: roleRef("ClusterRole") }),
    CLUSTER_WIDE,
  ],
  [
    "scheduling.k8s.io",
    "v1",
    "priorityclasses",
    "PriorityClass",
    (draw) => ({ value: draw.between(1, 1000) }),
    CLUSTER_WIDE,
  ],
];

const DEEP = new Set(["Pod", "Deployment", "ReplicaSet", "Job", "CronJob"]);

/** The kinds that are there without a CRD, each with a way to make objects of it. */
export const BUILTIN_KINDS: readonly Kind[] = ROWS.map(([group, version, plural, kind, good, more]) => ({
  group,
  version,
  plural,
  kind,
  isNamespaced: true,
  isCustom: false,
  subresources: [],
  isDeep: DEEP.has(kind),
  good,
  ...more,
}));
