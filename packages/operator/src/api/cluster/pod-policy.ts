import type {
  Affinity,
  LocalObjectReference,
  PodSecurityContext,
  ResourceRequirements,
  Toleration,
  TopologySpreadConstraint,
} from "kubernetes-types/core/v1.d.ts";
import * as z from "zod";
import { duration, int64, objectName, passThrough } from "../schema/primitives.ts";
import { matching, type Rule, withRules } from "../schema/rule.ts";
import { etcdEnv } from "./etcd-env.ts";
import { volumeClaimSpec } from "./volume-claim.ts";

type Labels = Record<string, string>;

/** The labels by which the operator, its Services and its disruption budget find their pods. */
export const isReservedLabel = (key: string) => key === "app" || key.startsWith("etcd_");

const leavesOurLabelsAlone: Rule<Labels> = {
  holds: (labels) => !Object.keys(labels).some(isReservedLabel),
  cel: "self.all(key, key != 'app' && !key.startsWith('etcd_'))",
  message: "label '{}' is reserved: the operator finds its pods by 'app' and 'etcd_*'; choose another key",
  offender: {
    of: (labels) => Object.keys(labels).find(isReservedLabel) ?? "",
    cel: "self.filter(key, key == 'app' || key.startsWith('etcd_'))[0]",
  },
};

const LABEL_VALUE = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";
const isBadLabelValue = (value: string) => !new RegExp(LABEL_VALUE).test(value);

const hasLabelValues: Rule<Labels> = {
  holds: (labels) => !Object.values(labels).some(isBadLabelValue),
  cel: `self.all(key, self[key].matches(r'${LABEL_VALUE}'))`,
  message:
    "label '{}' has an invalid value: use letters, digits, '-', '_' and '.', beginning and ending with a letter or digit",
  offender: {
    of: (labels) => Object.keys(labels).find((key) => isBadLabelValue(labels[key] ?? "")) ?? "",
    cel: `self.filter(key, !self[key].matches(r'${LABEL_VALUE}'))[0]`,
  },
};

const LABEL_KEY = "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$";
const isBadLabelKey = (key: string) => !new RegExp(LABEL_KEY).test(key);

const hasLabelKeys: Rule<Labels> = {
  holds: (labels) => !Object.keys(labels).some(isBadLabelKey),
  cel: `self.all(key, key.matches(r'${LABEL_KEY}'))`,
  message:
    "label '{}' is not a valid label key: use letters, digits, '-', '_' and '.', with an optional domain and '/' in front",
  offender: {
    of: (labels) => Object.keys(labels).find(isBadLabelKey) ?? "",
    cel: `self.filter(key, !key.matches(r'${LABEL_KEY}'))[0]`,
  },
};

const MOST_LABELS = 64;

const hasFewLabels: Rule<Labels> = {
  holds: (labels) => Object.keys(labels).length <= MOST_LABELS,
  cel: `size(self) <= ${MOST_LABELS}`,
  message: `more than ${MOST_LABELS} labels: remove some, or use annotations`,
};

const labels = withRules(z.record(z.string(), z.string().max(63)), [
  leavesOurLabelsAlone,
  hasLabelKeys,
  hasLabelValues,
  hasFewLabels,
]).meta({ maxProperties: MOST_LABELS });

// Kubernetes does not mind capitals in the domain of an annotation.
const ANNOTATION_KEY = "^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$";
const isBadAnnotationKey = (key: string) => !new RegExp(ANNOTATION_KEY).test(key);
const MOST_ANNOTATIONS = 256;

const hasAnnotationKeys: Rule<Labels> = {
  holds: (annotations) => !Object.keys(annotations).some(isBadAnnotationKey),
  cel: `self.all(key, key.matches(r'${ANNOTATION_KEY}'))`,
  message:
    "annotation '{}' is not a valid annotation key: use letters, digits, '-', '_' and '.', with an optional domain and '/' in front",
  offender: {
    of: (annotations) => Object.keys(annotations).find(isBadAnnotationKey) ?? "",
    cel: `self.filter(key, !key.matches(r'${ANNOTATION_KEY}'))[0]`,
  },
};

const hasFewAnnotations: Rule<Labels> = {
  holds: (annotations) => Object.keys(annotations).length <= MOST_ANNOTATIONS,
  cel: `size(self) <= ${MOST_ANNOTATIONS}`,
  message: `more than ${MOST_ANNOTATIONS} annotations: remove some`,
};

const annotations = withRules(z.record(z.string(), z.string()), [hasAnnotationKeys, hasFewAnnotations]).meta({
  maxProperties: MOST_ANNOTATIONS,
});

const clusterDomain = withRules(z.string().max(253), [
  matching(
    "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$",
    "'{}' is not a domain: write it without leading or trailing dots, such as 'cluster.local'",
  ),
]);

const toleration = passThrough<Toleration>({
  key: z.string().optional(),
  operator: z.string().optional(),
  value: z.string().optional(),
  effect: z.string().optional(),
  tolerationSeconds: int64(Number.MIN_SAFE_INTEGER).optional(),
});

/** Configuration of the members' pods. */
export const podPolicy = z.object({
  labels: labels
    .optional()
    .describe(
      "Labels added to every pod. `app`, keys that begin with `etcd_` and keys of `etcd.database.coreos.com/` are reserved.",
    ),
  annotations: annotations
    .optional()
    .describe("Annotations added to every pod. `etcd.version` and keys of `etcd.database.coreos.com/` are reserved."),
  nodeSelector: z.record(z.string(), z.string()).optional().describe("Nodes must carry these labels to run a member."),
  affinity: passThrough<Affinity>().optional().describe("Scheduling constraints, as in a pod."),
  antiAffinity: z
    .boolean()
    .optional()
    .describe("Deprecated, use `affinity`: never put two members of this cluster on one node."),
  tolerations: z.array(toleration).optional().describe("Taints that the pods tolerate, as in a pod."),
  topologySpreadConstraints: z
    .array(passThrough<TopologySpreadConstraint>())
    .optional()
    .describe("How members spread over zones and nodes, as in a pod. Replaces the operator's default spread."),
  resources: passThrough<ResourceRequirements>()
    .optional()
    .describe("CPU and memory of the etcd container, as in a pod."),
  etcdEnv: etcdEnv
    .optional()
    .describe(
      "Environment of etcd. A tunable set here overrides the operator's flag; identity, URLs and TLS are refused.",
    ),
  persistentVolumeClaimSpec: volumeClaimSpec
    .optional()
    .describe("Template of each member's PVC. Without it data is in an emptyDir and is lost with its pod."),
  busyboxImage: z.string().max(512).optional().describe("Accepted for compatibility; no busybox image is used."),
  securityContext: passThrough<PodSecurityContext>()
    .optional()
    .describe(
      "Security context of the pods, as in a pod. `{}` leaves user and groups to the platform, as OpenShift requires.",
    ),
  DNSTimeoutInSecond: duration()
    .optional()
    .describe("Accepted for compatibility; members do not wait for DNS before they start."),
  ClusterDomain: clusterDomain
    .optional()
    .describe("Domain of the Kubernetes cluster, such as `cluster.local`, appended to the members' DNS names."),
  imagePullSecrets: z
    .array(passThrough<LocalObjectReference>({ name: z.string().optional() }))
    .optional()
    .describe("Secrets with the credentials of the image registry."),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).optional().describe("When the image is pulled."),
  priorityClassName: objectName().optional().describe("PriorityClass of the pods."),
  terminationGracePeriodSeconds: int64(0).optional().describe("How long etcd may take to stop before it is killed."),
  serviceAccountName: objectName()
    .optional()
    .describe("ServiceAccount of the pods. No token is mounted: etcd does not call the Kubernetes API."),
});
