/**
 * Rights of the operator's role that a run with clusters alone makes no use of, and what each is needed for. Whatever
 * else such a run leaves unused has to go from the role.
 */
export const RIGHTS_USED_ELSEWHERE: Readonly<Record<string, string>> = {
  "create apiextensions.k8s.io/customresourcedefinitions": "--create-crd where there are none: operator-crds.test.ts",
  "update apiextensions.k8s.io/customresourcedefinitions": "--create-crd where they are older: operator-rights.test.ts",
  "create etcd.database.coreos.com/etcdclusters": "an EtcdRestore with a clusterTemplate makes its cluster",
  "patch etcd.database.coreos.com/etcdclusters": "an EtcdRestore asks its cluster by an annotation",
  "update etcd.database.coreos.com/etcdclusters": "an EtcdRestore makes a cluster over that it made before",
  "get etcd.database.coreos.com/etcdclusters": "read live before acts that harm, and by EtcdBackups and EtcdRestores",
  "get etcd.database.coreos.com/etcdbackups": "read live where caches lag, and for spec.recovery and spec.upgrade",
  "create etcd.database.coreos.com/etcdbackups": "spec.upgrade.backupName asks for a backup before a minor is left",
  "patch etcd.database.coreos.com/etcdbackups": "the finalizer of a backup with a worker",
  "update etcd.database.coreos.com/etcdbackups/status": "the status of a backup",
  "get etcd.database.coreos.com/etcdrestores": "read live where caches lag, and before a cluster turns",
  "create etcd.database.coreos.com/etcdrestores": "spec.recovery asks for a restore",
  "patch etcd.database.coreos.com/etcdrestores": "the finalizer of a restore",
  "update etcd.database.coreos.com/etcdrestores/status": "the status of a restore",
  "create secrets": "what the pods that a snapshot passes through and the operator know each other by",
  "list nodes": "the zones of members, and spec.rebalance: Automatic; no pod runs on a node here",
  "get namespaces": "whether the namespace of a backup or a restore is trusted",
  "get persistentvolumeclaims": "read live before a claim or a member is given up",
  "patch persistentvolumeclaims": "claims grow, and bear the member that they hold",
  "delete persistentvolumeclaims": "whenScaled: Delete, and members that are replaced",
  "get policy/poddisruptionbudgets": "read live where caches lag",
  "patch policy/poddisruptionbudgets": "the number of voters changes, or the budget was edited",
  "get services": "read live where caches lag",
  "patch services": "a Service that was edited, or came from coreos/etcd-operator",
  "patch events": "an Event that is repeated is counted",
};
