import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import {
  clientServiceName,
  clusterLabels,
  disruptionBudgetName,
  peerServiceName,
} from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { ObjectSeen, OwnedObjects } from "../model/observation.ts";
import type { Source } from "./kubernetes-source.ts";
import { isLeftover, isOwnedBy, mayBeTakenOver } from "./ownership.ts";

/** The objects that a cluster has one of each. */
export async function objectsSeen(cluster: Stored<EtcdCluster>, source: Source): Promise<OwnedObjects> {
  const { name } = cluster.metadata;
  const [peerService, clientService, disruptionBudget] = await Promise.all([
    source.service(peerServiceName(name)),
    source.service(clientServiceName(name)),
    source.disruptionBudget(disruptionBudgetName(name)),
  ]);
  return {
    peerService: objectSeen(peerService, peerService?.spec?.selector, cluster),
    clientService: objectSeen(clientService, clientService?.spec?.selector, cluster),
    disruptionBudget: objectSeen(disruptionBudget, selectorOf(disruptionBudget), cluster),
  };
}

function selectorOf(budget: PodDisruptionBudget | undefined): Record<string, string> | undefined {
  return budget?.spec?.selector?.matchLabels;
}

function objectSeen<T extends KubeObject>(
  object: Stored<T> | undefined,
  selector: Record<string, string> | undefined,
  cluster: Stored<EtcdCluster>,
): ObjectSeen<T> {
  if (!object) return { kind: "missing" };
  if (isOwnedBy(object, cluster.metadata.uid)) return { kind: "ours", object };
  if (isLeftover(object, cluster)) return { kind: "foreign", isLeftover: true };
  const labels = clusterLabels(cluster.metadata.name);
  const isAsOurs = hasAll(object.metadata.labels, labels) && hasAll(selector, labels) && hasAll(labels, selector);
  return isAsOurs && mayBeTakenOver(object) ? { kind: "orphaned", object } : { kind: "foreign" };
}

function hasAll(found: Record<string, string> = {}, asked: Record<string, string> = {}): boolean {
  return Object.entries(asked).every(([key, value]) => found[key] === value);
}
