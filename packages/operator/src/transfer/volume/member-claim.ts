import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { clusterLabels } from "../../api/cluster/cluster-names.ts";
import { GROUP, SCOPE_ANNOTATION } from "../../api/group.ts";
import { isOwnAnnotation } from "../../api/reserved-keys.ts";
import { uses } from "./claim-users.ts";

/**
 * The member whose data lies on a claim, in words; undefined for a claim that is free to keep backups. Read live, and
 * by every available sign: claims outlive their cluster without an owner, and labels and annotations can be edited away
 * under a running pod.
 */
export async function memberOn(
  client: Pick<KubeClient, "list">,
  claim: Stored<PersistentVolumeClaim>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isMarked(claim)) return `etcd member '${claim.metadata.labels?.etcd_node ?? claim.metadata.name}'`;
  const { namespace, name } = claim.metadata;
  const { items } = await client.list(resources.pods, { namespace, labelSelector: ANY_MEMBER, signal });
  const user = items.find((pod) => uses(pod, name));
  return user && `etcd member '${user.metadata.name}'`;
}

const ANY_MEMBER = Object.entries(clusterLabels(""))
  .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
  .join(",");

/** Also one that coreos/etcd-operator made: it labelled each claim with its member, whose name the claim has. */
function isMarked({ metadata }: Stored<PersistentVolumeClaim>): boolean {
  const { name, labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  const isOwned = ownerReferences.some(
    ({ kind, apiVersion }) => kind === "EtcdCluster" && apiVersion.startsWith(`${GROUP}/`),
  );
  const isNoted = Object.keys(annotations).some((key) => isOwnAnnotation(key) && key !== SCOPE_ANNOTATION);
  return isOwned || isNoted || labels.etcd_node === name;
}
