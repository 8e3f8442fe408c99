import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { type ObjectEvent, objectOf } from "../world/stored-objects.ts";

/** URLs that the certificates of members are for; the probes' has none by design. */
const OF_MEMBERS = {
  peer: /^--(?:listen-peer-urls|initial-advertise-peer-urls|initial-cluster)=.*http:/,
  server: /^--(?:listen-client-urls|advertise-client-urls)=.*http:/,
} as const;

/** Pods that speak without TLS, now or for a moment, though their cluster is to have it (K8SPSMDB-578). */
export function plainText(events: readonly ObjectEvent[]): readonly string[] {
  const wanted = new Map<string, readonly RegExp[]>();
  const found = new Set<string>();
  for (const event of events) {
    if (event.kind === "deleted") continue;
    if (event.plural === "etcdclusters") wanted.set(event.name, forbiddenIn(objectOf(event) as EtcdCluster));
    if (event.plural !== "pods") continue;
    const { metadata, spec } = objectOf(event) as Pod;
    const forbidden = wanted.get(metadata?.labels?.etcd_cluster ?? "") ?? [];
    const words = spec?.containers.flatMap(({ command = [] }) => command) ?? [];
    for (const word of words) {
      if (forbidden.some((pattern) => pattern.test(word))) found.add(`${event.name} speaks without TLS: ${word}`);
    }
  }
  return [...found];
}

function forbiddenIn({ spec }: EtcdCluster): readonly RegExp[] {
  const { peerSecret, serverSecret } = spec.TLS?.static?.member ?? {};
  return [...(peerSecret ? [OF_MEMBERS.peer] : []), ...(serverSecret ? [OF_MEMBERS.server] : [])];
}
