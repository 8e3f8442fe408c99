import type { KindName } from "@etcd-operator/operator/api/kinds.ts";

/**
 * One object, or one change of an object, and what must become of it: the same at the API server and, unless it is a
 * change, in our code.
 */
export interface AdmissionCase {
  readonly name: string;
  readonly kind: KindName;
  readonly object: Resource;
  /** What the object was before, with its status; absent when it is created. */
  readonly previous?: Resource;
  /** It was stored before a rule existed that would refuse it today. */
  readonly isFromBefore?: true;
  /** What the refusal says (field, value, remedy); absent when it is allowed. */
  readonly refused?: Refusal;
}

export interface Refusal {
  readonly field: string;
  readonly value: string;
  readonly remedy: string;
  /** The rule is beyond CEL: the API server lets the object in, our code refuses it. */
  readonly inCodeOnly?: true;
}

export interface Resource {
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

type Spec = Record<string, unknown>;

export function aCluster(spec: Spec = {}, name = "example", status?: Spec): Resource {
  return { metadata: { name }, spec: { size: 3, version: "3.5.16", ...spec }, ...(status && { status }) };
}

/** A cluster whose members run `running` while its spec asks for `wanted`. */
export function aClusterRunning(running: string, wanted = running, spec: Spec = {}): Resource {
  return aCluster({ version: wanted, ...spec }, "example", { phase: "Running", currentVersion: running });
}

export function aBackup(spec: Spec = {}): Resource {
  return {
    metadata: { name: "example" },
    spec: {
      etcdEndpoints: ["http://example-client:2379"],
      storageType: "S3",
      s3: { path: "bucket/backup", awsSecret: "aws" },
      ...spec,
    },
  };
}

export function aBackupTo(path: string): Resource {
  return aBackup({ s3: { path, awsSecret: "aws" } });
}

export function aRestore(spec: Spec = {}): Resource {
  return {
    metadata: { name: "example" },
    spec: {
      etcdCluster: { name: "example" },
      backupStorageType: "S3",
      s3: { path: "bucket/backup", awsSecret: "aws" },
      ...spec,
    },
  };
}
