import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";

/**
 * Whether a member had to tell the others of itself a second time before it served anybody. etcd writes that a member
 * is there into the log. One that joins a cluster whose log has no beginning gets a snapshot first; and when that is of
 * a moment after the entry, the member never sees it, waits for it for 7 s (5 s and two election timeouts), and starts
 * again.
 */
export async function announcedTwice(client: KubeClient, { metadata }: Stored<Pod>): Promise<boolean> {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/log`;
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.stream("GET", path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8").includes("failed to publish local member");
}
