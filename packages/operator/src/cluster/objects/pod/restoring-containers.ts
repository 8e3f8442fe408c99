import type { Version } from "@etcd-operator/etcd-client";
import { defined } from "@etcd-operator/kubernetes-client";
import type { Container, VolumeMount } from "kubernetes-types/core/v1.d.ts";
import { memberAddresses } from "../../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../../api/etcd-cluster.ts";
import { receiveContainer, restoreContainer } from "../../../transfer/pods/receive-and-restore.ts";
import { DATA_DIR } from "./etcd-command.ts";
import { containerSecurity } from "./security.ts";
import type { Start } from "./start.ts";

interface RestoredMember {
  readonly cluster: EtcdCluster;
  readonly member: string;
  readonly version: Version;
  readonly start: Extract<Start, { kind: "restored" }>;
  readonly images: { readonly ours: string; readonly etcd: string };
  /** Where the volume of the data is mounted. */
  readonly mountPath: string;
}

/** The init containers that take a snapshot and make a data directory of it, before the guard checks that. */
export function restoringContainers({
  cluster,
  member,
  version,
  start,
  images,
  mountPath,
}: RestoredMember): Container[] {
  const { spec } = cluster;
  const { requests, limits } = spec.pod?.resources ?? {};
  const dataMount: VolumeMount = { name: "etcd-data", mountPath };
  const surroundings = {
    dataDir: DATA_DIR,
    dataMount,
    imagePullPolicy: spec.pod?.imagePullPolicy,
    // The same as etcd's, for the same reason as the guard's.
    resources: requests || limits ? defined({ requests, limits }) : undefined,
    securityContext: containerSecurity(spec),
  };
  const { peerUrl } = memberAddresses(cluster, member);
  const { token, revisionBump } = start;
  return [
    receiveContainer({ ...surroundings, image: images.ours }),
    restoreContainer({ ...surroundings, etcdImage: images.etcd, version, member, peerUrl, token, revisionBump }),
  ];
}
