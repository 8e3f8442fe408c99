import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Because } from "../model/action.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { majorityOf } from "../model/quorum.ts";
import { newestRecord } from "./cluster-record.ts";

/** What the claims that a deleted EtcdCluster left are good for. */
export type Retained =
  /** There are none, or the user wants a new cluster beside them. */
  | { readonly kind: "none" }
  /** A majority of one cluster: its members can return on them. */
  | { readonly kind: "majority"; readonly clusterId: string; readonly incarnation: number; readonly from: string }
  /** Neither may they be used as they are, nor a cluster be bootstrapped beside them. */
  | ({ readonly kind: "unfit" } & Because);

type Unfit = Extract<Retained, { kind: "unfit" }>;

const WAYS_OUT =
  "restore a backup with an EtcdRestore, or set spec.bootstrap.onExistingVolumes to 'Ignore' to start empty beside them";

/**
 * Whether the members of a deleted cluster can return. That they are a majority keeps the status honest; that no member
 * without one takes writes is etcd's own doing.
 */
export function judgeRetained(claims: readonly ClaimSeen[], cluster: EtcdCluster): Retained {
  const policy = cluster.spec.bootstrap.onExistingVolumes;
  if (claims.length === 0 || policy === "Ignore") return { kind: "none" };
  const what = `Volumes of a deleted EtcdCluster of this name exist (${namesOf(claims)})`;
  if (policy === "Hold") {
    const message = `${what}: set spec.bootstrap.onExistingVolumes to 'Reattach' to continue its data, or to 'Ignore' to start empty`;
    return { kind: "unfit", reason: "VolumesRetained", message };
  }
  return whyAmbiguous(claims, what) ?? whyElsewhere(claims, cluster, what) ?? whyNoMajority(claims, what) ?? of(claims);
}

function of(claims: readonly ClaimSeen[]): Retained {
  const [first] = claims;
  return {
    kind: "majority",
    clusterId: first?.clusterId ?? "",
    incarnation: Math.max(1, ...claims.map(({ incarnation = 1 }) => incarnation)),
    from: first?.madeFor ?? "",
  };
}

function whyAmbiguous(claims: readonly ClaimSeen[], what: string): Unfit | undefined {
  const ids = new Set(claims.map(({ clusterId = "" }) => clusterId));
  if (ids.size > 1) {
    const message = `${what}, of different etcd clusters (${[...ids].sort().join(", ")}): delete the PVCs of all but one, or ${WAYS_OUT}`;
    return { kind: "unfit", reason: "ClusterIdsDiffer", message };
  }
  const members = new Set(claims.map(({ memberId }) => memberId));
  if (members.size < claims.length) {
    const message = `${what}, and two of them have the data of the same member: delete the copy, or ${WAYS_OUT}`;
    return { kind: "unfit", reason: "VolumesAmbiguous", message };
  }
  if (newestRecord(claims)) return undefined;
  const message = `${what}, but none records how many members its cluster had: ${WAYS_OUT}; see docs/operations/deleted-by-accident.md for how to name the members`;
  return { kind: "unfit", reason: "VolumesWithoutRecord", message };
}

/** Members know each other by URLs that hold the scheme and the domain of the spec that they were made from. */
function whyElsewhere(claims: readonly ClaimSeen[], cluster: EtcdCluster, what: string): Unfit | undefined {
  const { voters = {} } = newestRecord(claims) ?? {};
  const moved = claims.find(({ name, memberId = "" }) => {
    const known = voters[memberId];
    return known !== undefined && known !== memberAddresses(cluster, name).peerUrl;
  });
  if (!moved) return undefined;
  const message = `${what}; the peer addresses of their members differ from the spec, such as '${voters[moved.memberId ?? ""]}': restore the previous spec.TLS and spec.pod.ClusterDomain`;
  return { kind: "unfit", reason: "AddressesChanged", message };
}

function whyNoMajority(claims: readonly ClaimSeen[], what: string): Unfit | undefined {
  const voters = Object.keys(newestRecord(claims)?.voters ?? {});
  const usable = claims.filter(({ isTerminating, hasLostVolume }) => !isTerminating && !hasLostVolume);
  const present = usable.filter(({ memberId = "" }) => voters.includes(memberId));
  // One that was about to be removed may have been: then it knows less than the others, and must not be the only one.
  const isEnough = present.length >= majorityOf(voters.length) && present.some(({ isLeaving }) => !isLeaving);
  if (isEnough) return undefined;
  const message = `${what}, but have only ${present.length} of ${voters.length} voting members, which is no majority: ${WAYS_OUT}`;
  return { kind: "unfit", reason: "NoMajorityOfVolumes", message };
}

const MOST_NAMES = 3;

/** A message has its limits, and names may be long. */
function namesOf(claims: readonly ClaimSeen[]): string {
  const names = claims.map(({ name }) => name).sort();
  const more = names.length - MOST_NAMES;
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more` : names.join(", ");
}
