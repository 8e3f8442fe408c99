import { API_VERSION, GROUP } from "@etcd-operator/operator/api/group.ts";

/** What a scenario says of a cluster; the rest has the defaults of the CRD. */
export interface ManifestOptions {
  readonly size?: number;
  readonly version?: string;
  readonly namespace?: string;
  /** Data on claims; an emptyDir otherwise. */
  readonly claims?: boolean;
  /** Of the claims; the default one if not set. */
  readonly storageClass?: string;
  /** Never two members on one node. */
  readonly isApart?: boolean;
  readonly isClusterWide?: boolean;
  readonly bootstrap?: "Sequential" | "Parallel";
  readonly onExistingVolumes?: "Reattach" | "Hold" | "Ignore";
  readonly whenDeleted?: "Retain" | "Delete";
  /** How long a member may be gone; a minute by default. */
  readonly replaceAfterSeconds?: number;
  readonly paused?: boolean;
  readonly quotaBackendBytes?: number;
  /** TLS from the Secrets that gen-cert.sh makes. */
  readonly isTls?: boolean;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations?: object };
  readonly spec: Readonly<Record<string, unknown>>;
}

const TLS_SECRETS = {
  static: {
    member: { peerSecret: "etcd-peer-tls", serverSecret: "etcd-server-tls" },
    operatorSecret: "etcd-client-tls",
  },
};
const A_CLAIM = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

/** An EtcdCluster as a user would write it. */
export function aManifest(name: string, options: ManifestOptions = {}): Manifest {
  const { size = 3, version = "3.5.16", namespace = "default", isClusterWide = false } = options;
  const {
    claims = false,
    storageClass,
    isApart = false,
    bootstrap,
    onExistingVolumes,
    whenDeleted,
    replaceAfterSeconds,
    paused,
    quotaBackendBytes,
    isTls = false,
  } = options;
  return {
    apiVersion: API_VERSION,
    kind: "EtcdCluster",
    metadata: { name, namespace, ...(isClusterWide && { annotations: { [`${GROUP}/scope`]: "clusterwide" } }) },
    spec: {
      size,
      version,
      ...((claims || isApart) && {
        pod: {
          ...(claims && { persistentVolumeClaimSpec: { ...A_CLAIM, storageClassName: storageClass } }),
          ...(isApart && { antiAffinity: true }),
        },
      }),
      ...((bootstrap || onExistingVolumes) && { bootstrap: { mode: bootstrap, onExistingVolumes } }),
      ...(whenDeleted && { persistentVolumeClaimRetentionPolicy: { whenDeleted } }),
      ...(replaceAfterSeconds !== undefined && { memberReplacement: { afterSeconds: replaceAfterSeconds } }),
      ...(paused !== undefined && { paused }),
      ...(quotaBackendBytes !== undefined && { etcd: { quotaBackendBytes } }),
      ...(isTls && { TLS: TLS_SECRETS }),
    },
  };
}
