import assert from "node:assert/strict";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { kubectlOrThrow } from "@etcd-operator/testing/kube/kubectl.ts";
import { beforeAll, describe, test } from "vitest";

const kube = injectedKube();
let namespace: string;

beforeAll(async () => {
  await applyCrds(kube);
  namespace = await kube.freshNamespace();
});

const kubectl = (input: string, ...args: string[]) =>
  kubectlOrThrow(kube.adminKubeconfig, ["--namespace", namespace, ...args], { input });

// Written as users of the coreos operator wrote it, with the fields that its documentation showed.
const OLD_YAML: Record<string, string> = {
  "a cluster of 3.2.13": `
kind: EtcdCluster
metadata: { name: plain }
spec: { size: 3, version: "3.2.13" }`,
  "a cluster-wide cluster": `
kind: EtcdCluster
metadata: { name: wide, annotations: { etcd.database.coreos.com/scope: clusterwide } }
spec: { size: 3, version: "3.2.13" }`,
  "a cluster with every pod field": `
kind: EtcdCluster
metadata: { name: pod-fields }
spec:
  size: 5
  repository: quay.io/coreos/etcd
  version: v3.2.13
  paused: false
  pod:
    labels: { team: a }
    annotations: { prometheus.io/scrape: "true", prometheus.io/port: "2379" }
    nodeSelector: { disk: ssd }
    antiAffinity: true
    affinity:
      podAntiAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            labelSelector: { matchExpressions: [{ key: etcd_cluster, operator: In, values: [pod-fields] }] }
            topologyKey: kubernetes.io/hostname
    tolerations: [{ key: etcd, operator: Exists, effect: NoSchedule }]
    resources: { limits: { cpu: 300m, memory: 200Mi }, requests: { cpu: 200m, memory: 100Mi } }
    etcdEnv: [{ name: ETCD_AUTO_COMPACTION_RETENTION, value: "1" }]
    persistentVolumeClaimSpec:
      storageClassName: fast
      accessModes: [ReadWriteOnce]
      resources: { requests: { storage: 1Gi } }
    busyboxImage: busybox:1.28.0-glibc
    securityContext: { runAsNonRoot: true, runAsUser: 9000, fsGroup: 9000 }
    DNSTimeoutInSecond: 0
    ClusterDomain: cluster.local`,
  "a cluster with TLS": `
kind: EtcdCluster
metadata: { name: tls }
spec:
  size: 3
  TLS:
    static:
      member: { peerSecret: etcd-peer-tls, serverSecret: etcd-server-tls }
      operatorSecret: etcd-client-tls`,
  "a one-shot backup with bare endpoints": `
kind: EtcdBackup
metadata: { name: once }
spec:
  etcdEndpoints: ["example-etcd-cluster-client:2379"]
  storageType: S3
  s3: { path: mybucket/etcd.backup, awsSecret: aws }`,
  "a periodic backup": `
kind: EtcdBackup
metadata: { name: periodic }
spec:
  etcdEndpoints: ["https://example-etcd-cluster-client:2379"]
  clientTLSSecret: etcd-client-tls
  storageType: ABS
  backupPolicy: { backupIntervalInSecond: 125, maxBackups: 4, timeoutInSecond: 100 }
  abs: { path: container/etcd.backup, absSecret: abs }`,
  "a restore": `
kind: EtcdRestore
metadata: { name: example-etcd-cluster }
spec:
  etcdCluster: { name: example-etcd-cluster }
  backupStorageType: GCS
  gcs: { path: mybucket/etcd.backup, gcpSecret: gcp }`,
};

describe("YAML written for the coreos operator is taken as it is", () => {
  for (const [name, yaml] of Object.entries(OLD_YAML)) {
    test(`${name}: kubectl create and kubectl apply`, async () => {
      const text = `apiVersion: etcd.database.coreos.com/v1beta2${yaml}\n`;
      assert.match(await kubectl(text, "create", "-f", "-"), /created/);
      assert.match(await kubectl(text, "apply", "-f", "-"), /configured|unchanged/);
    });
  }
});
