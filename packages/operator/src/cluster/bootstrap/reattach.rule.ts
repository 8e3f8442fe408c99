import type { PodSeen } from "../model/observation.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { undecidedRestore } from "../restore/restoring.rule.ts";
import { judgeOrphans } from "./orphans.rule.ts";
import { judgeRetained } from "./retained-volumes.rule.ts";

/**
 * A deleted EtcdCluster of this name left volumes with data. A cluster bootstrapped beside them would pass for it,
 * without its data; so its members return on them, or nothing is done.
 */
export const reattachVolumes: Rule = ({ seen, status, intents }) => {
  if (status.clusterID || intents.length > 0 || undecidedRestore(status)) return undefined;
  if (seen.pods.length > 0 || seen.claims.length > 0) return undefined;
  const found = judgeRetained(seen.retained ?? [], seen.cluster);
  if (found.kind === "none") return undefined;
  const { leftoverPods } = seen.strangers;
  if (leftoverPods.length > 0) {
    const message = `Waiting for the pods of the deleted EtcdCluster of this name to stop: ${listOf(leftoverPods)}`;
    return { kind: "hold", reason: "PreviousPodsRemain", message };
  }
  if (found.kind === "unfit") return { kind: "hold", reason: found.reason, message: found.message };
  const { clusterId, incarnation, from } = found;
  const message = `Restarting the members of etcd cluster ${clusterId} on the volumes of the deleted EtcdCluster`;
  return { kind: "reattach", clusterId, incarnation, from, reason: "Reattaching", message };
};

/**
 * Members that run without an owner, as after `kubectl delete --cascade=orphan`. A cluster bootstrapped beside them
 * would share its Service with them; so they are this cluster when they are one that is healthy, or nothing is done.
 */
export const adoptOrphans: Rule = (now) => {
  const { seen, status, intents } = now;
  const { orphans = [], retained = [] } = seen;
  if (status.clusterID || intents.length > 0 || orphans.length === 0) return undefined;
  const found = judgeOrphans(orphans, now);
  const names = listOf(orphans.map(({ name }) => name));
  if (found.kind === "unfit") {
    const remedy = "wait until they are one healthy cluster, or delete the pods (data on PVCs is kept)";
    const message = `Members of a cluster of this name have no owner (${names}), and ${found.why}: ${remedy}`;
    return { kind: "hold", reason: "OrphanedPods", message };
  }
  const { clusterId } = found;
  const incarnation = Math.max(1, ...orphans.map((pod) => pod.incarnation ?? 1));
  const from = retained.find((claim) => claim.clusterId === clusterId)?.madeFor ?? "";
  const message = `The members of etcd cluster ${clusterId} run without an owner; adopting them: ${names}`;
  return {
    kind: "adopt-orphans",
    clusterId,
    incarnation,
    from,
    pods: orphans.map(idOf),
    reason: "Reattaching",
    message,
  };
};

/**
 * The cluster is on record, so its volumes and pods are this EtcdCluster's from now on. No member returns before all of
 * them say so.
 */
export const takeOver: Rule = (now) => {
  const { status, seen } = now;
  if (!status.clusterID) return undefined;
  const { retained = [], orphans = [] } = seen;
  const claims = retained.filter((claim) => claim.clusterId === status.clusterID && !claim.isTerminating);
  const pods = orphans.filter((pod) => !pod.isTerminating && isMember(pod, now));
  const names = [...new Set([...claims, ...pods].map(({ name }) => name))];
  if (names.length === 0) return undefined;
  const message = `Adopting the members of etcd cluster ${status.clusterID}: ${listOf(names)}`;
  return { kind: "take-over", claims: claims.map(idOf), pods: pods.map(idOf), reason: "Reattaching", message };
};

/**
 * A pod that merely says so is none: etcd's list has its member under its name, and no other member answers from it.
 */
function isMember({ name, memberId, answer }: PodSeen, { listed }: Situation): boolean {
  const { status, otherClusterId, otherMemberId } = answer;
  const id = status?.memberId ?? memberId;
  if (otherClusterId !== undefined || otherMemberId !== undefined || id === undefined) return false;
  return listed.some((member) => member.name === name && member.etcd.id === id);
}
