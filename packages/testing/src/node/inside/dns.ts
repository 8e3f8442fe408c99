import { COREDNS } from "../images/images.ts";
import { DNS_IP } from "./addresses.ts";

const namespace = "kube-system";
const labels = { "k8s-app": "kube-dns" };
const ports = [
  { name: "dns", port: 53, protocol: "UDP" },
  { name: "dns-tcp", port: 53, protocol: "TCP" },
];
const corefile = `.:53 {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  loadbalance
}
`;

const READ = ["list", "watch"];
const rules = [
  { apiGroups: [""], resources: ["services", "pods", "namespaces"], verbs: READ },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: READ },
];
const container = {
  name: "coredns",
  image: COREDNS,
  args: ["-conf", "/etc/coredns/Corefile"],
  volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
  securityContext: { capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] }, readOnlyRootFilesystem: true },
  readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
  livenessProbe: { httpGet: { path: "/health", port: 8080 }, initialDelaySeconds: 30 },
};

/** CoreDNS, which stays on the node of this name: to lose another one does not take the names away. */
export function dnsObjects(nodeName: string): readonly object[] {
  const metadata = { name: "coredns", namespace };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "coredns" };
  const pod = {
    serviceAccountName: "coredns",
    dnsPolicy: "Default",
    nodeSelector: { "kubernetes.io/hostname": nodeName },
    priorityClassName: "system-cluster-critical",
    tolerations: [{ operator: "Exists" }],
    containers: [container],
    volumes: [{ name: "config", configMap: { name: "coredns" } }],
  };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: corefile } },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "coredns" }, rules },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "coredns" },
      roleRef,
      subjects: [{ kind: "ServiceAccount", name: "coredns", namespace }],
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kube-dns", namespace, labels },
      spec: { selector: labels, clusterIP: DNS_IP, ports },
    },
  ];
}
