import type { LookupFunction } from "node:net";

/**
 * What a client proves its identity with, and whom it trusts; all PEM. Connections with the same object share what Node
 * makes of it, so it is handed on, not copied.
 */
export interface EndpointTls {
  readonly ca: string | Uint8Array;
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

/**
 * One etcd member. It is dialled by IP and recognised by name, so that a lagging DNS never blinds the caller and a
 * reused IP never passes for the member that had it.
 */
export interface Endpoint {
  /** "10.0.0.1:2379", "[::1]:2379", or a Unix socket, as in "unix:/run/store.sock" */
  readonly address: string;
  readonly tls?: EndpointTls;
  /** The DNS name that its certificate must carry; the host of the address when absent. */
  readonly serverName?: string;
  /** How the addresses of a name are found; as Node finds them when absent. */
  readonly lookup?: LookupFunction;
}

/** The path of the Unix socket that an address names; undefined where it names a host. */
export function socketPathOf(address: string): string | undefined {
  return address.startsWith("unix:") ? address.slice("unix:".length) : undefined;
}
