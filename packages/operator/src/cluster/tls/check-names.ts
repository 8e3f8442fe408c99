import { clientServiceName, memberHost, namespaceOf } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Certificate } from "./certificate.ts";
import type { Finding, Severity } from "./finding.ts";
import { TLS_KEYS } from "./secret-roles.ts";

export interface NamesToCover {
  readonly cluster: EtcdCluster;
  /** Hosts by which members are registered already, from their URLs. */
  readonly members: readonly string[];
}

/** Whether a peer certificate is valid for every member, also for future ones, whose names are not known yet. */
export function checkPeerNames(
  secret: string,
  leaf: Certificate,
  { cluster, members }: NamesToCover,
): readonly Finding[] {
  const anyMember = memberHost(cluster, "*");
  const found = { secret, key: TLS_KEYS.peer.certificate } as const;
  const missing = missingFrom(leaf, [anyMember, ...members]);
  if (missing.length > 0) return [uncovered(found, "defect", leaf, missing, "the members reach each other by")];
  // etcd looks up the name of the address that a peer comes from, and the DNS of a cluster answers with the full name.
  if (cluster.spec.pod?.ClusterDomain || leaf.dnsNames.some((name) => name.startsWith(`${anyMember}.`))) return [];
  return [
    uncovered(found, "warning", leaf, [`${anyMember}.cluster.local`], "reverse DNS most likely gives to members"),
  ];
}

/** Whether clients find every member and the Service under a name that the certificate has. */
export function checkServerNames(
  secret: string,
  leaf: Certificate,
  { cluster, members }: NamesToCover,
): readonly Finding[] {
  const found = { secret, key: TLS_KEYS.server.certificate } as const;
  const domain = cluster.spec.pod?.ClusterDomain;
  const [service, namespace] = [clientServiceName(cluster.metadata.name), namespaceOf(cluster)];
  const full = `${service}.${namespace}.svc`;
  const needed = missingFrom(leaf, [memberHost(cluster, "*"), ...members, full]);
  const useful = missingFrom(leaf, [
    service,
    `${service}.${namespace}`,
    "localhost",
    ...(domain ? [`${full}.${domain}`] : []),
  ]);
  return [
    ...(needed.length > 0
      ? [uncovered(found, "defect", leaf, needed, "the operator and clients reach members by")]
      : []),
    ...(useful.length > 0 ? [uncovered(found, "warning", leaf, useful, "clients may use")] : []),
  ];
}

function missingFrom({ dnsNames }: Certificate, hosts: readonly string[]): readonly string[] {
  return [...new Set(hosts)].filter((host) => !dnsNames.some((pattern) => covers(pattern, host.toLowerCase())));
}

/** Go's rule: a star matches the complete first label, and nothing else. A star in `host` needs a star. */
function covers(pattern: string, host: string): boolean {
  if (pattern === host) return true;
  return pattern.startsWith("*.") && pattern.slice(1) === host.slice(host.indexOf(".")) && host.indexOf(".") > 0;
}

function uncovered(
  found: Pick<Finding, "secret" | "key">,
  severity: Severity,
  { dnsNames }: Certificate,
  missing: readonly string[],
  use: string,
): Finding {
  const noNames = dnsNames.length === 0 ? "has no DNS names (the common name does not count) and so " : "";
  const defect = `${noNames}does not name ${missing.map((name) => `'${name}'`).join(", ")}, which ${use}`;
  return { ...found, code: "names", severity, defect, remedy: "reissue it with these subject alternative names" };
}
