import type { JsonObject } from "../kube-object.ts";
import { MASTERS, RBAC_GROUP } from "./authorizer.ts";

const READ = ["get", "list", "watch"];
const CHANGE = ["create", "delete", "deletecollection", "patch", "update"];
const ALL = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

const AGGREGATE = `${RBAC_GROUP}/aggregate-to-`;

/** A ClusterRole that every cluster has. */
export interface DefaultRole {
  readonly name: string;
  /** Of which other roles it becomes a part: "view". */
  readonly partOf?: string;
  /** Its rules are those of the roles that are part of it. */
  readonly isGathered?: boolean;
  readonly rules?: readonly JsonObject[];
}

function rule(group: string, verbs: readonly string[], resources: string): JsonObject {
  return { apiGroups: [group], resources: resources.split(" "), verbs };
}

function paths(verbs: readonly string[], urls: string): JsonObject {
  return { nonResourceURLs: urls.split(" "), verbs };
}

const viewRules: readonly JsonObject[] = [
  rule(
    "",
    READ,
    "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers " +
      "replicationcontrollers/scale serviceaccounts services services/status",
  ),
  rule(
    "",
    READ,
    "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas " +
      "resourcequotas/status",
  ),
  rule("", READ, "namespaces"),
  rule("discovery.k8s.io", READ, "endpointslices"),
  rule(
    "apps",
    READ,
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets " +
      "replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
  ),
  rule("autoscaling", READ, "horizontalpodautoscalers horizontalpodautoscalers/status"),
  rule("batch", READ, "cronjobs cronjobs/status jobs jobs/status"),
  rule(
    "extensions",
    READ,
    "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status " +
      "networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
  ),
  rule("policy", READ, "poddisruptionbudgets poddisruptionbudgets/status"),
  rule("networking.k8s.io", READ, "ingresses ingresses/status networkpolicies"),
  rule("resource.k8s.io", READ, "resourceclaims resourceclaims/status resourceclaimtemplates"),
];

const editRules: readonly JsonObject[] = [
  rule("", READ, "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
  rule("", ["impersonate"], "serviceaccounts"),
  rule("", CHANGE, "pods pods/attach pods/exec pods/portforward pods/proxy"),
  rule("", ["create"], "pods/eviction"),
  rule(
    "",
    CHANGE,
    "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets " +
      "serviceaccounts services services/proxy",
  ),
  rule("", ["create"], "serviceaccounts/token"),
  rule(
    "apps",
    CHANGE,
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets " +
      "statefulsets/scale",
  ),
  rule("autoscaling", CHANGE, "horizontalpodautoscalers"),
  rule("batch", CHANGE, "cronjobs jobs"),
  rule(
    "extensions",
    CHANGE,
    "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets " +
      "replicasets/scale replicationcontrollers/scale",
  ),
  rule("policy", CHANGE, "poddisruptionbudgets"),
  rule("networking.k8s.io", CHANGE, "ingresses networkpolicies"),
  rule("coordination.k8s.io", ALL, "leases"),
  rule("resource.k8s.io", CHANGE, "resourceclaims resourceclaimtemplates"),
];

const adminRules: readonly JsonObject[] = [
  rule("authorization.k8s.io", ["create"], "localsubjectaccessreviews"),
  rule(RBAC_GROUP, ALL, "rolebindings roles"),
];

/** The roles that users bind to, as every Kubernetes has them; those of its own components are left out. */
export const DEFAULT_ROLES: readonly DefaultRole[] = [
  { name: "cluster-admin", rules: [rule("*", ["*"], "*"), paths(["*"], "*")] },
  { name: "admin", isGathered: true },
  { name: "edit", isGathered: true, partOf: "admin" },
  { name: "view", isGathered: true, partOf: "edit" },
  { name: "system:aggregate-to-admin", partOf: "admin", rules: adminRules },
  { name: "system:aggregate-to-edit", partOf: "edit", rules: editRules },
  { name: "system:aggregate-to-view", partOf: "view", rules: viewRules },
  {
    name: "system:discovery",
    rules: [paths(["get"], "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/")],
  },
  {
    name: "system:basic-user",
    rules: [
      rule("authorization.k8s.io", ["create"], "selfsubjectaccessreviews"),
      rule("authentication.k8s.io", ["create"], "selfsubjectreviews"),
    ],
  },
  { name: "system:public-info-viewer", rules: [paths(["get"], "/healthz /livez /readyz /version /version/")] },
  {
    name: "system:monitoring",
    rules: [
      paths(["get"], "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"),
      rule("", ["get"], "nodes/metrics"),
    ],
  },
  {
    name: "system:auth-delegator",
    rules: [
      rule("authentication.k8s.io", ["create"], "tokenreviews"),
      rule("authorization.k8s.io", ["create"], "subjectaccessreviews"),
    ],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      paths(
        ["get"],
        "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
      ),
    ],
  },
];

/** Which groups have which of them everywhere. */
export const DEFAULT_BINDINGS: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": [MASTERS],
  "system:basic-user": ["system:authenticated"],
  "system:discovery": ["system:authenticated"],
  "system:monitoring": ["system:monitoring"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
  "system:service-account-issuer-discovery": ["system:serviceaccounts"],
};

const metadata = (name: string) => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
});

export function roleObject({ name, partOf, isGathered, rules }: DefaultRole): JsonObject {
  const { labels, ...others } = metadata(name);
  return {
    metadata: { ...others, labels: { ...labels, ...(partOf && { [`${AGGREGATE}${partOf}`]: "true" }) } },
    ...(rules && { rules }),
    ...(isGathered && {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${AGGREGATE}${name}`]: "true" } }] },
    }),
  };
}

export function bindingObject(role: string, groups: readonly string[]): JsonObject {
  return {
    metadata: metadata(role),
    roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: role },
    subjects: groups.map((name) => ({ apiGroup: RBAC_GROUP, kind: "Group", name })),
  };
}
