import type { ClientOptions } from "./call-options.ts";
import { Calls } from "./calls.ts";
import type { Endpoint } from "./endpoint.ts";
import { type HealthCheck, healthCheck } from "./health.ts";
import { type KeyValues, keyValues } from "./key-values.ts";
import { type Leases, leases } from "./leases.ts";
import { type Maintenance, maintenance } from "./maintenance.ts";
import { type Membership, membership } from "./membership.ts";
import { type Snapshots, snapshots } from "./snapshot/snapshot.ts";
import { type ClusterVersions, clusterVersions } from "./version/cluster-version.ts";
import { type Watches, watches } from "./watch.ts";

/**
 * One etcd member over one connection. Every call goes to that member, once: nothing is retried, neither here nor
 * below, since a timed-out MemberAdd or Txn may have been applied. Every failure is an `EtcdError`.
 */
export interface EtcdClient
  extends Membership,
    Maintenance,
    Snapshots,
    KeyValues,
    Leases,
    Watches,
    HealthCheck,
    ClusterVersions {
  readonly endpoint: string;
  /** Ends calls, watches and the connection. */
  close(): void;
}

/** Makes a client; it connects on the first call, and again on the first call after a connection broke. */
export function connectEtcd(endpoint: Endpoint, options: ClientOptions = {}): EtcdClient {
  const calls = new Calls(endpoint, options);
  const care = maintenance(calls);
  const keys = keyValues(calls);
  return {
    endpoint: calls.endpoint,
    ...membership(calls),
    ...care,
    ...snapshots(calls),
    ...keys,
    ...leases(calls),
    ...watches(calls),
    ...clusterVersions(endpoint),
    ...healthCheck({ range: keys.range, status: care.status }),
    close: () => calls.close(),
  };
}
