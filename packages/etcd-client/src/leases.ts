import type { CallOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import { EtcdError } from "./etcd-error.ts";
import { Lease as LeaseService } from "./protocol/generated/lease_pb.ts";

export interface Lease {
  readonly id: bigint;
  readonly ttlSeconds: number;
}

/** Keys that vanish unless someone keeps their lease alive. */
export interface Leases {
  grantLease(ttlSeconds: number, options?: CallOptions): Promise<Lease>;
  /** Renews the lease once; "not-found" when it has run out. */
  keepLeaseAlive(id: bigint, options?: CallOptions): Promise<Lease>;
  /** Deletes its keys, too. */
  revokeLease(id: bigint, options?: CallOptions): Promise<void>;
}

const KEEP_ALIVE_TIMEOUT_MS = 5_000;

export function leases(calls: Calls): Leases {
  const { leaseGrant, leaseRevoke, leaseKeepAlive } = LeaseService.method;
  return {
    async grantLease(ttlSeconds, options) {
      const call = { operation: "grantLease", method: leaseGrant };
      const lease = await calls.unary(call, { TTL: BigInt(ttlSeconds) }, options);
      return { id: lease.ID, ttlSeconds: Number(lease.TTL) };
    },
    async keepLeaseAlive(id, options) {
      const operation = "keepLeaseAlive";
      const call = { operation, method: leaseKeepAlive };
      const stream = await calls.stream(call, { timeoutMs: KEEP_ALIVE_TIMEOUT_MS, ...options });
      stream.send({ ID: id });
      for await (const { ID, TTL } of stream.messages()) {
        // etcd answers a dead lease with no time left instead of an error.
        if (TTL > 0n) return { id: ID, ttlSeconds: Number(TTL) };
        break;
      }
      const reason = `lease ${id.toString(16)} does not exist or has run out`;
      throw new EtcdError("not-found", { operation, endpoint: calls.endpoint, reason });
    },
    async revokeLease(id, options) {
      await calls.unary({ operation: "revokeLease", method: leaseRevoke }, { ID: id }, options);
    },
  };
}
