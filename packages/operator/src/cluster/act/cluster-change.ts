import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster, EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { hasOtherScope } from "../../api/scope.ts";

/**
 * What has become of a cluster since it was seen, as far as actions depend on it; undefined when nothing has. The spec
 * counts as a spec, by its generation: following an old one may remove members that the new one asks for.
 */
export function changeOfCluster(seen: Stored<EtcdCluster>, live: Stored<EtcdCluster> | undefined): string | undefined {
  if (!live) return "does not exist any more";
  if (live.metadata.uid !== seen.metadata.uid) return "was deleted and created again";
  if (live.metadata.deletionTimestamp) return "is being deleted";
  // The operator of the other scope may be at work, whatever our watch shows.
  if (hasOtherScope(seen, live)) return "belongs to another operator now: its scope annotation was changed";
  if (live.spec.paused) return "is paused";
  if (live.metadata.generation !== seen.metadata.generation) return "has a new spec";
  if (notesOf(live.status) !== notesOf(seen.status)) return "has a new status: another operator may be at work";
  return undefined;
}

/** What was written down before anything was done; observations of members come and go without consequence. */
function notesOf({ clusterID = "", incarnation = 0, memberIntents = [], restore }: EtcdClusterStatus = {}): string {
  const intents = memberIntents.map(({ name, purpose, incarnation: of }) => `${purpose} ${name} of ${of}`);
  const restoring = restore && [restore.uid, restore.state, restore.incarnation];
  return JSON.stringify([clusterID, incarnation, intents.sort(), restoring]);
}
