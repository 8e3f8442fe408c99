import { randomSuffix } from "@etcd-operator/kubernetes-client";
import { memberName } from "../../api/cluster/cluster-names.ts";

// As many as a cluster can have members.
const HOW_MANY = 7;

/** Names for members to come; `random` gives numbers from 0 up to, but not including, 1. */
export function freshNames(clusterName: string, random: () => number): string[] {
  return Array.from({ length: HOW_MANY }, () => memberName(clusterName, randomSuffix(random)));
}
