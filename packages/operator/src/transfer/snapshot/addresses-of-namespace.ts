import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod, Service } from "kubernetes-types/core/v1.d.ts";
import { addressKey } from "../trust/address-class.ts";

/**
 * The keys of the addresses of what runs in a namespace: of its pods, and of Services that lead to those. Not of pods
 * that share their node's address, nor of Services without a selector, which their author may lead anywhere.
 */
export async function addressesOfNamespace(
  client: Pick<KubeClient, "list">,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const [pods, services] = await Promise.all([
    client.list(resources.pods, { namespace, signal }),
    client.list(resources.services, { namespace, signal }),
  ]);
  const all = [...pods.items.flatMap(addressesOfPod), ...services.items.flatMap(addressesOfService)];
  return new Set(all.map(addressKey));
}

function addressesOfPod({ spec, status }: Pod): string[] {
  if (spec?.hostNetwork) return [];
  return [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)].filter((ip) => ip !== undefined);
}

function addressesOfService({ spec }: Service): string[] {
  const { type, selector = {}, clusterIP = "", clusterIPs = [] } = spec ?? {};
  if (type === "ExternalName" || Object.keys(selector).length === 0) return [];
  return [clusterIP, ...clusterIPs].filter((ip) => ip !== "" && ip !== "None");
}
