import { backupWorkloads } from "./backup-workloads.ts";
import { clusterWorkloads } from "./cluster-workloads.ts";
import { tlsWorkloads } from "./tls-workloads.ts";
import type { Workload } from "./workload.ts";

/** Everything that users have the operator do. */
export const workloads: readonly Workload[] = [...clusterWorkloads, ...tlsWorkloads, ...backupWorkloads];
