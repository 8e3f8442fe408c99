import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import { listOf, type Rule } from "../model/situation.ts";

/**
 * Members know each other by URLs that hold the scheme and the domain of the spec at the time they joined. One that
 * came back, or joined, under others could not be reached by those that run, so a spec that asks for it is not followed
 * at all.
 */
export const refuseAddressChange: Rule = ({ seen, listed }) => {
  if (seen.membership.kind === "unknown") return undefined;
  const moved = listed.filter(({ name, etcd, isExternal }) => {
    return !isExternal && !etcd.peerUrls.includes(memberAddresses(seen.cluster, name).peerUrl);
  });
  if (moved.length === 0) return undefined;
  const names = listOf(moved.map(({ name }) => name));
  const remedy = "revert spec.TLS.static.member.peerSecret and spec.pod.ClusterDomain";
  const message = `The spec changes the peer addresses of running members (${names}), which is not possible: ${remedy}`;
  return { kind: "hold", reason: "AddressesChanged", message };
};
