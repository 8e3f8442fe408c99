import type { Endpoint, EndpointTls } from "@etcd-operator/etcd-client";
import type { Sent } from "../snapshot/read-back.ts";
import type { SnapshotErrorCode } from "../snapshot/snapshot-error.ts";

/**
 * The member whose snapshot a worker shall get by itself. It travels to the worker, over the connection that only the
 * two share.
 */
export interface MemberOrder {
  readonly endpoint: Endpoint;
  /** The member that responds must be this one: names may mean another cluster in the worker's namespace. */
  readonly clusterId: bigint;
  readonly memberId: bigint;
  /** How large the database was. */
  readonly dbSizeBytes: number;
}

/** What a worker says while it is at it, a line each; the last one says how it went out. */
export type WorkerLine =
  | { readonly kind: "progress"; readonly bytes: number }
  /** All of it is written, and is no object yet. */
  | { readonly kind: "taken"; readonly sent: Sent }
  /** It cannot get there, which says nothing about others. Nothing was written. */
  | { readonly kind: "unreachable"; readonly why: string }
  | { readonly kind: "failed"; readonly code: SnapshotErrorCode; readonly message: string };

export const SNAPSHOT_ROUTE = { method: "POST", path: "/snapshot" } as const;

export function orderText({ endpoint, clusterId, memberId, dbSizeBytes }: MemberOrder): string {
  return JSON.stringify({
    endpoint: { ...endpoint, ...(endpoint.tls && { tls: textsOf(endpoint.tls) }) },
    clusterId: clusterId.toString(16),
    memberId: memberId.toString(16),
    dbSizeBytes,
  });
}

/** The sender is the operator, and has proved it. */
export function parseOrder(text: string): MemberOrder {
  const { clusterId, memberId, ...rest } = JSON.parse(text) as Record<string, string>;
  return { ...rest, clusterId: BigInt(`0x${clusterId}`), memberId: BigInt(`0x${memberId}`) } as unknown as MemberOrder;
}

function textsOf({ ca, cert, key }: EndpointTls): EndpointTls {
  const pem = (given: string | Uint8Array) => (typeof given === "string" ? given : Buffer.from(given).toString());
  return {
    ca: pem(ca),
    ...(cert !== undefined && { cert: pem(cert) }),
    ...(key !== undefined && { key: pem(key) }),
  };
}
