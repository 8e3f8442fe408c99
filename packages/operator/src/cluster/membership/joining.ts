import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { type Postponed, postponed } from "../act/postponed.ts";
import { nameOf } from "../model/members.ts";
import type { EtcdMember } from "../model/observation.ts";
import type { Start } from "../objects/pod/start.ts";

type Joining = Extract<Start, { kind: "joining" }>;

/** The entry of a member that has been added, by the URL that it was added with. */
export function entryOf(members: readonly EtcdMember[], cluster: EtcdCluster, name: string): EtcdMember | undefined {
  const { peerUrl } = memberAddresses(cluster, name);
  return members.find((member) => nameOf(member) === name || member.peerUrls.includes(peerUrl));
}

/**
 * How a member that has been added starts. etcd does not join unless it is given every member, with every URL, exactly
 * as the list has them. One that has started before may have voted, and must not begin again with nothing.
 */
export function joiningStart(members: readonly EtcdMember[], cluster: EtcdCluster, name: string): Joining | Postponed {
  const clusterId = cluster.status?.clusterID;
  const entry = entryOf(members, cluster, name);
  if (!entry || !clusterId) return postponed(`${name} is not in the member list`);
  if (entry.name !== "") return postponed(`${name} has started before and cannot join as a new member`, 1_000);
  const others = members.filter((member) => member !== entry);
  const peers = others.flatMap((other) => other.peerUrls.map((peerUrl) => ({ name: nameOf(other), peerUrl })));
  return { kind: "joining", clusterId, peers };
}
