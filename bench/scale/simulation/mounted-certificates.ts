import { createSecureContext, type SecureContext } from "node:tls";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { TLS_KEYS } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { serverSecretOf } from "../fleet-certificates.ts";
import { NAMESPACE } from "../fleet-names.ts";

/** What a member shows of itself, and whom it lets in, by the host that a client asks for. */
export type CertificatesFor = (host: string) => Promise<SecureContext>;

/** Those of the Secrets that are mounted into pods, each read at the first request for a member of its cluster. */
export function mountedCertificates(client: KubeClient): CertificatesFor {
  const byCluster = new Map<string, Promise<SecureContext>>();
  return (host) => {
    const [, cluster = ""] = host.split(".");
    const known = byCluster.get(cluster) ?? read(client, cluster);
    byCluster.set(cluster, known);
    return known;
  };
}

async function read(client: KubeClient, cluster: string): Promise<SecureContext> {
  const ref = { namespace: NAMESPACE, name: serverSecretOf(cluster) };
  const { data = {} } = await client.get(resources.secrets, ref);
  const { certificate, key, ca } = TLS_KEYS.server;
  const file = (name: string) => Buffer.from(data[name] ?? "", "base64");
  return createSecureContext({ cert: file(certificate), key: file(key), ca: file(ca) });
}
