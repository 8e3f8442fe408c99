import { undecidedRestore } from "../restoring.ts";
import { judgeRetained } from "../retained.ts";
import { idOf, listOf, type Rule } from "../situation.ts";

/**
 * A deleted EtcdCluster of this name left volumes with data. A cluster that was founded beside them would pass for it, without its data; so
 * its members return on them, or nothing is done.
 */
export const reattachVolumes: Rule = ({ seen, status, intents }) => {
  if (status.clusterID || intents.length > 0 || undecidedRestore(status)) return undefined;
  if (seen.pods.length > 0 || seen.claims.length > 0) return undefined;
  const found = judgeRetained(seen.retained ?? [], seen.cluster);
  if (found.kind === "none") return undefined;
  const { leftoverPods } = seen.strangers;
  if (leftoverPods.length > 0) {
    const message = `Waiting until the pods of the deleted EtcdCluster of this name are gone: ${listOf(leftoverPods)}`;
    return { kind: "hold", reason: "PreviousPodsRemain", message };
  }
  if (found.kind === "unfit") return { kind: "hold", reason: found.reason, message: found.message };
  const { clusterId, incarnation, from } = found;
  const message = `The members of etcd cluster ${clusterId} return on the volumes that the deleted EtcdCluster left`;
  return { kind: "reattach", clusterId, incarnation, from, reason: "Reattaching", message };
};

/** The cluster is on record, so its volumes are this EtcdCluster's from now on. No member returns before all of them say so. */
export const takeOverClaims: Rule = ({ seen, status }) => {
  const { retained = [] } = seen;
  const ours = retained.filter((claim) => claim.clusterId === status.clusterID && !claim.isTerminating);
  if (!status.clusterID || ours.length === 0) return undefined;
  const message = `Taking over the volumes of etcd cluster ${status.clusterID}: ${listOf(ours.map(({ name }) => name))}`;
  return { kind: "take-over-claims", claims: ours.map(idOf), reason: "Reattaching", message };
};
