import { namespaced } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { API_VERSION } from "../api/group.ts";

/** Our own kinds, for the Kubernetes client. */
export const ownResources = {
  etcdBackups: namespaced<EtcdBackup>(API_VERSION, "EtcdBackup", "etcdbackups"),
  etcdClusters: namespaced<EtcdCluster>(API_VERSION, "EtcdCluster", "etcdclusters"),
  etcdRestores: namespaced<EtcdRestore>(API_VERSION, "EtcdRestore", "etcdrestores"),
};
