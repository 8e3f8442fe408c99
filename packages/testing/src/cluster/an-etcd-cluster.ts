import { type EtcdCluster, etcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";

/** For tests: the cluster `example` in the namespace `prod`, with every default, and whatever the case is about. */
export function anEtcdCluster(spec: object = {}, metadata: Partial<EtcdCluster["metadata"]> = {}): EtcdCluster {
  return etcdCluster.parse({
    metadata: { name: "example", namespace: "prod", uid: "uid-1", ...metadata },
    spec: { size: 3, version: "3.5.30", ...spec },
  });
}

/** Both kinds of member certificates. */
export const STATIC_TLS = {
  static: { member: { peerSecret: "peer", serverSecret: "server" }, operatorSecret: "operator" },
};

export const A_CLAIM = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
