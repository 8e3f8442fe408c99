import type { EtcdCluster } from "../../../api/etcd-cluster.ts";

/** A member and where the others reach it, as in `--initial-cluster`. */
export interface Peer {
  readonly name: string;
  readonly peerUrl: string;
}

/** How a member comes up. Ids are in hexadecimal, as etcdctl prints them. */
export type Start =
  /** Bootstraps the cluster; `peers` are the others that bootstrap it at the same time, so none of them joins. */
  | { readonly kind: "seed"; readonly token: string; readonly peers: readonly Peer[] }
  /** Has been added to a cluster of `peers` and takes its data from them. */
  | { readonly kind: "joining"; readonly clusterId: string; readonly peers: readonly Peer[] }
  /**
   * Has joined before and comes back with its data. Without other members in its arguments, it exits when its log is
   * lost.
   */
  | { readonly kind: "returning"; readonly clusterId: string; readonly memberId: string }
  /**
   * Bootstraps the cluster with the data of a snapshot, which is brought to it; starts from the log that is made of it,
   * or exits.
   */
  | {
      readonly kind: "restored";
      readonly token: string;
      readonly revisionBump: number;
      /** UID of the EtcdRestore that brings the snapshot. */
      readonly restoreUid: string;
    };

/** Two clusters with one token can end up with one id, so no bootstrap or restore may repeat a token. */
export function clusterToken(cluster: EtcdCluster, incarnation: number): string {
  return `${cluster.metadata.uid ?? ""}-${incarnation}`;
}
