import type { EtcdCluster } from "../../api/etcd-cluster.ts";

/** What a Secret is for: traffic between members, traffic from clients, the operator as one of those clients. */
export type TlsRole = "peer" | "server" | "operator";

export const TLS_ROLES: readonly TlsRole[] = ["peer", "server", "operator"];

/** What a Secret is for, as the status says it. */
export const TLS_USES = { peer: "Peer", server: "Server", operator: "Operator" } as const satisfies Record<
  TlsRole,
  string
>;

/** Which certificate comes to a listener of a member that the user can change while members run. */
export const TLS_VISITORS = { peer: "peer", server: "operator" } as const satisfies Partial<Record<TlsRole, TlsRole>>;

/** Under which keys a Secret holds its three files. */
export interface TlsKeys {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

export const TLS_KEYS: Readonly<Record<TlsRole, TlsKeys>> = {
  peer: { certificate: "peer.crt", key: "peer.key", ca: "peer-ca.crt" },
  server: { certificate: "server.crt", key: "server.key", ca: "server-ca.crt" },
  operator: { certificate: "etcd-client.crt", key: "etcd-client.key", ca: "etcd-client-ca.crt" },
};

/** The Secret that the spec names for a role; undefined when it names none. */
export function tlsSecretName({ spec }: EtcdCluster, role: TlsRole): string | undefined {
  const { member, operatorSecret } = spec.TLS?.static ?? {};
  const named = { peer: member?.peerSecret, server: member?.serverSecret, operator: operatorSecret };
  return named[role] || undefined;
}
