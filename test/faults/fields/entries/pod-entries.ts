import { fieldCases } from "@etcd-operator/testing/scenario/cluster/field-cases.ts";
import { type FieldValue, refused, reported, works } from "../field-value.ts";
import type { Entries, Entry } from "./entry.ts";

const usual = (path: string): FieldValue => works("usual", fieldCases[path]?.value, fieldCases[path]?.isIn);

const NO_NODE = /node/;
const SPREAD = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" };
const requiring = (...keys: readonly string[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: keys.map((key) => ({ key, operator: "Exists" })) }],
    },
  },
});

const claims: Entries = {
  "pod.persistentVolumeClaimSpec": {
    but: { empty: "refused" },
    also: [works("absent", undefined), refused("without-size", { accessModes: ["ReadWriteOnce"] })],
  },
  "pod.persistentVolumeClaimSpec.accessModes": {
    but: { empty: "refused" },
    also: [works("other", ["ReadWriteMany"]), works("absent", undefined)],
  },
  "pod.persistentVolumeClaimSpec.accessModes[]": {
    also: [works("other", "ReadWriteOncePod"), reported("no-such-mode", "ReadSometimes", /ReadSometimes/)],
  },
  "pod.persistentVolumeClaimSpec.storageClassName": {
    but: { empty: { says: /claim|volume/i } },
    also: [works("usual", "standard"), reported("no-such-class", "fast", /claim|volume/i)],
  },
  "pod.persistentVolumeClaimSpec.resources": { but: { empty: "refused" } },
  "pod.persistentVolumeClaimSpec.resources.requests": { but: { empty: "refused" } },
  "pod.persistentVolumeClaimSpec.resources.requests.storage": {
    also: [
      refused("smaller", "512Mi"),
      refused("smaller-fraction", "0.5Gi"),
      refused("smaller-power-of-ten", "1e9"),
      refused("no-size", "ten"),
      refused("absent", undefined),
      { ...works("larger", "2Gi"), isForGood: true },
    ],
  },
};

const toleration = (along: object): Pick<Entry, "along"> => ({ along: { "pod.tolerations": [along] } });

const placement: Entries = {
  "pod.nodeSelector": {
    also: [
      usual("pod.nodeSelector"),
      reported("no-such-node", { disk: "none" }, NO_NODE),
      reported("no-label", { "a b": "x" }, /nodeSelector/),
    ],
  },
  "pod.nodeSelector{}": {
    mapKey: "kubernetes.io/os",
    but: { empty: { says: NO_NODE } },
    also: [
      works("usual", "linux"),
      reported("no-such-node", "plan9", NO_NODE),
      reported("no-label", "-bad-", /nodeSelector/),
    ],
  },
  "pod.affinity": {
    also: [
      usual("pod.affinity"),
      reported("no-such-node", requiring("disk"), NO_NODE),
      reported("no-affinity", { nodeAffinity: "text" }, /affinity/i),
      reported("no-term", requiring(), /nodeSelectorTerms|affinity|node/i),
    ],
  },
  "pod.antiAffinity": { given: { size: 3 }, but: { true: { says: NO_NODE } } },
  "pod.tolerations": {
    also: [usual("pod.tolerations"), reported("no-operator", [{ key: "a", operator: "Maybe" }], /tolerations/)],
  },
  "pod.tolerations[]": { but: { empty: { says: /tolerations/ } }, also: [works("everything", { operator: "Exists" })] },
  "pod.tolerations[].key": {
    ...toleration({ operator: "Exists" }),
    also: [works("usual", "dedicated"), reported("no-key", "a b", /tolerations/)],
  },
  "pod.tolerations[].operator": {
    ...toleration({ key: "dedicated" }),
    also: [works("usual", "Exists"), reported("no-operator", "Maybe", /tolerations/)],
  },
  "pod.tolerations[].value": {
    ...toleration({ key: "dedicated", operator: "Equal" }),
    also: [works("usual", "etcd"), reported("no-value", "-bad-", /tolerations/)],
  },
  "pod.tolerations[].effect": {
    ...toleration({ key: "dedicated", operator: "Exists" }),
    also: [works("usual", "NoSchedule"), reported("no-effect", "Never", /tolerations/)],
  },
  "pod.tolerations[].tolerationSeconds": {
    ...toleration({ key: "dedicated", operator: "Exists", effect: "NoExecute" }),
    also: [works("usual", 60), works("negative", -1)],
  },
  "pod.topologySpreadConstraints": {
    also: [
      usual("pod.topologySpreadConstraints"),
      reported("no-topology", [{ ...SPREAD, topologyKey: "" }], /topologyKey/),
      reported("no-such-node", [{ ...SPREAD, topologyKey: "rack", labelSelector: {} }], NO_NODE),
    ],
  },
  "pod.topologySpreadConstraints[]": {
    but: { empty: { says: /topologySpreadConstraints/ } },
    also: [works("usual", { ...SPREAD, labelSelector: { matchLabels: { app: "etcd" } } })],
  },
  "pod.priorityClassName": {
    but: { longest: { says: /PriorityClass/i } },
    also: [
      usual("pod.priorityClassName"),
      reported("no-such-class", "none-such", /PriorityClass/i),
      refused("capitals", "High"),
    ],
  },
};

const metadata: Entries = {
  "pod.labels": {
    also: [
      usual("pod.labels"),
      ...["app", "etcd_node", "a b", "-a", ""].map((key) => refused(`key-${key}`, { [key]: "x" })),
    ],
  },
  "pod.labels{}": { also: [works("usual", "a"), refused("no-label", "-bad-")] },
  "pod.annotations": { also: [usual("pod.annotations"), refused("no-key", { "a b": "x" })] },
  "pod.annotations{}": { also: [works("usual", "any text"), reported("huge", "x".repeat(270_000), /annotations/)] },
};

const MISSING_SECRET = { secretKeyRef: { name: "none-such", key: "level" } };

const environment: Entries = {
  "pod.etcdEnv": {
    also: [
      usual("pod.etcdEnv"),
      refused("identity", [{ name: "ETCD_NAME", value: "b" }]),
      refused("unsafe", [{ name: "ETCD_UNSAFE_NO_FSYNC", value: "true" }]),
    ],
  },
  "pod.etcdEnv[]": { but: { empty: "refused" }, also: [works("usual", { name: "ETCD_LOG_LEVEL", value: "warn" })] },
  "pod.etcdEnv[].name": {
    along: { "pod.etcdEnv": [{ value: "warn" }] },
    also: [
      works("usual", "ETCD_LOG_LEVEL"),
      reported("no-name", "a=b", /env/),
      reported("no-number", "ETCD_QUOTA_BACKEND_BYTES", /etcd|exit|crash/i),
      refused("identity", "ETCD_DATA_DIR"),
    ],
  },
  "pod.etcdEnv[].value": { along: { "pod.etcdEnv": [{ name: "ETCD_LOG_LEVEL" }] }, also: [works("usual", "warn")] },
  "pod.etcdEnv[].valueFrom": {
    along: { "pod.etcdEnv": [{ name: "MEMBER" }] },
    but: { empty: { says: /valueFrom/ } },
    also: [
      works("usual", { fieldRef: { fieldPath: "metadata.name" } }),
      reported("no-such-secret", MISSING_SECRET, /secret/i),
    ],
  },
};

/** Every property of a cluster's pods. */
export const podEntries: Entries = {
  // Nothing of it includes nothing of volumes.
  pod: {},
  ...metadata,
  ...placement,
  ...environment,
  ...claims,
  "pod.resources": {
    also: [
      usual("pod.resources"),
      reported("too-much", { requests: { cpu: "1000" } }, NO_NODE),
      reported("no-quantity", { requests: { cpu: "a lot" } }, /resources|quantit/i),
      reported("less-than-requested", { requests: { cpu: "2" }, limits: { cpu: "1" } }, /resources/),
      reported("negative", { requests: { memory: "-1Gi" } }, /resources/),
    ],
  },
  "pod.busyboxImage": { also: [usual("pod.busyboxImage")] },
  "pod.securityContext": {
    also: [usual("pod.securityContext"), reported("no-user", { runAsUser: -1 }, /securityContext/)],
  },
  "pod.DNSTimeoutInSecond": { also: [usual("pod.DNSTimeoutInSecond")] },
  "pod.ClusterDomain": {
    but: { longest: "refused" },
    also: [refused("other", "cluster.local"), refused("dots", ".local")],
  },
  "pod.imagePullSecrets": { also: [usual("pod.imagePullSecrets")] },
  "pod.imagePullSecrets[]": { also: [works("usual", { name: "registry" })] },
  "pod.imagePullSecrets[].name": { also: [works("usual", "registry")] },
  "pod.imagePullPolicy": {},
  "pod.terminationGracePeriodSeconds": { also: [usual("pod.terminationGracePeriodSeconds")] },
  "pod.serviceAccountName": {
    but: { longest: { says: /service ?account/i } },
    also: [
      usual("pod.serviceAccountName"),
      reported("no-such-account", "none-such", /service ?account/i),
      refused("capitals", "Etcd"),
    ],
  },
};
