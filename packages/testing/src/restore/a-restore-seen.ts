import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { type RestoreRequest, restoreAnnotation } from "@etcd-operator/operator/api/restore-request.ts";
import { judgedObject } from "@etcd-operator/operator/objects/judged-object.ts";
import { FINALIZER } from "@etcd-operator/operator/restore/finalizer.ts";
import type { Observation, SeedSeen } from "@etcd-operator/operator/restore/observation.ts";
import type { RestoreState } from "@etcd-operator/operator/restore/situation.ts";
import { anEtcdCluster } from "../cluster/an-etcd-cluster.ts";

export const NOW_MS = Date.UTC(2030, 0, 1, 12);
export const UID = "0a1b2c3d-restore";

type Status = NonNullable<EtcdRestore["status"]>;

/** The backup, once it is verified. */
export const SNAPSHOT = {
  path: "backups/etcd",
  revision: 100,
  etcdVersion: "3.5.16",
  sizeBytes: 40_992,
  sha256: "ab".repeat(32),
};

/** What was saved of the cluster before. */
export const SAFETY = {
  ...SNAPSHOT,
  path: "backups/etcd_safety_0a1b2c3d",
  revision: 90,
  sha256: "cd".repeat(32),
  takenAt: "2030-01-01T11:59:00Z",
};

export const REQUEST: RestoreRequest = {
  name: "example",
  uid: UID,
  revision: 100,
  sizeBytes: SNAPSHOT.sizeBytes,
  sha256: SNAPSHOT.sha256,
  revisionBump: 1_000_000_000,
};

export const VERIFIED = { type: "Verified", status: "True" as const, observedGeneration: 1, reason: "Verified" };
export const SAVED = { type: "Saved", status: "True" as const, observedGeneration: 1, reason: "Saved" };
export const CALLED_OFF = {
  type: "Canceled",
  status: "True" as const,
  observedGeneration: 1,
  reason: "SeedFailed",
  message: "Container 'restore' failed",
};

export interface RestoreGiven extends Partial<Omit<Observation, "restore" | "cluster">> {
  readonly spec?: Partial<EtcdRestore["spec"]> | undefined;
  readonly metadata?: Partial<Stored["metadata"]> | undefined;
  readonly status?: Status | undefined;
  /** False for none. */
  readonly cluster?: false | Partial<Stored<EtcdCluster>>;
  /** What the cluster was asked for. */
  readonly request?: RestoreRequest;
  /** How far the cluster has got with it. */
  readonly state?: RestoreState;
}

/**
 * For tests: what a reconcile sees of the EtcdRestore `example`, which has just begun; and whatever the case is about.
 */
export function aRestoreSeen(given: RestoreGiven = {}): Observation {
  const { spec, metadata, status, cluster, request, state, ...rest } = given;
  return {
    nowMs: NOW_MS,
    restore: aRestore({ spec, metadata, status }),
    problems: [],
    cluster: cluster === false ? undefined : aStoredCluster(cluster ?? {}, request, state),
    others: [],
    runs: { verify: undefined, save: undefined, push: undefined },
    seed: undefined,
    members: [],
    ...rest,
  };
}

export function aRestore(given: Pick<RestoreGiven, "spec" | "metadata" | "status"> = {}): Stored<EtcdRestore> {
  const stored = {
    apiVersion: API_VERSION,
    kind: "EtcdRestore",
    metadata: {
      name: "example",
      namespace: "prod",
      uid: UID,
      resourceVersion: "7",
      generation: 1,
      creationTimestamp: "2030-01-01T11:00:00Z",
      finalizers: [FINALIZER],
      ...given.metadata,
    },
    spec: {
      etcdCluster: { name: "example" },
      backupStorageType: "S3",
      s3: { path: "backups/etcd", awsSecret: "aws" },
      ...given.spec,
    },
    status: { observedGeneration: 1, phase: "Verifying", startedAt: "2030-01-01T11:30:00Z", ...given.status },
  };
  return judgedObject("EtcdRestore", stored as unknown as Stored<EtcdRestore>).object;
}

function aStoredCluster(
  { metadata, spec, status }: Partial<Stored<EtcdCluster>>,
  request: RestoreRequest | undefined,
  state: RestoreState | undefined,
): Stored<EtcdCluster> {
  const annotations = { ...metadata?.annotations, ...(request && restoreAnnotation(request)) };
  const restore = { name: "example", uid: request?.uid ?? UID, state, incarnation: 2, revision: 100 };
  return {
    ...anEtcdCluster(spec),
    apiVersion: API_VERSION,
    kind: "EtcdCluster",
    metadata: {
      name: "example",
      namespace: "prod",
      uid: "cluster-uid",
      resourceVersion: "9",
      creationTimestamp: "2029-01-01T00:00:00Z",
      ...metadata,
      annotations,
    },
    status: { clusterID: "c1", ...(state && { restore }), ...status },
  } as Stored<EtcdCluster>;
}

/** The pod of the first new member, whose container waits for the snapshot. */
export function aSeed(given: Partial<SeedSeen> = {}): SeedSeen {
  return {
    name: "example-abc",
    uid: "seed-uid",
    receive: "running",
    restore: "waiting",
    failing: undefined,
    trouble: undefined,
    ...given,
  };
}
