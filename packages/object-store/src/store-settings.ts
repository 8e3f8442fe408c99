import type { LookupFunction } from "node:net";

/** What the opener grants beyond what a Secret holds. */
interface Granted {
  /** Whether the process's own identity in the cloud may be used where the Secret holds none; false when absent. */
  readonly mayUseOwnIdentity?: boolean | undefined;
}

interface Dialled {
  /** Finds the addresses of servers that users name, and refuses those that must not be dialled. */
  readonly lookup?: LookupFunction | undefined;
}

/** Where a store is and who we are to it; plain data, credentials included, so never to be logged. */
export type StoreSettings = S3Settings | AbsSettings | GcsSettings | OssSettings | VolumeSettings;

export interface S3Settings extends Granted, Dialled {
  readonly kind: "s3";
  readonly bucket: string;
  /** URL of a server that speaks S3 and is not AWS. */
  readonly endpoint?: string | undefined;
  readonly forcePathStyle?: boolean | undefined;
  /** What the Secret holds; without it the pod's own role is used. */
  readonly profile?: S3Profile | undefined;
}

/** Contents of the files that AWS' own tools read; profile `default` counts. */
export interface S3Profile {
  readonly credentials?: string | undefined;
  readonly config?: string | undefined;
}

export interface AbsSettings extends Dialled {
  readonly kind: "abs";
  readonly container: string;
  readonly account: string;
  readonly accountKey: string;
  /**
   * Name of a cloud that is not the public one, such as "AzureChinaCloud"; or the URL of a server that is not Azure's.
   */
  readonly cloud?: string | undefined;
}

/** With neither token nor key of a service account, the default credentials are used. */
export interface GcsSettings extends Granted {
  readonly kind: "gcs";
  readonly bucket: string;
  readonly accessToken?: string | undefined;
  /** Contents of `credentials.json`. */
  readonly credentialsJson?: string | undefined;
  /** URL of a server that is not Google's; for tests. */
  readonly endpoint?: string | undefined;
}

export interface OssSettings extends Dialled {
  readonly kind: "oss";
  readonly bucket: string;
  /** Endpoint of the region, such as "https://oss-cn-hangzhou.aliyuncs.com". */
  readonly endpoint?: string | undefined;
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
}

/** A worker pod that has the claim mounted. */
export interface VolumeSettings {
  readonly kind: "volume";
  readonly claimName: string;
  /** host:port of the worker. */
  readonly address: string;
  readonly token: string;
  /** The worker's own certificate, in PEM; no other is accepted. */
  readonly certificate: string;
}

/** How patient a store is; tests are less so. */
export interface StoreTuning {
  /** A connection on which nothing moved for so long counts as broken; 30 s. */
  readonly idleTimeoutMs?: number;
  /** How often something is tried that does not get on at all; 5. */
  readonly attempts?: number;
  /** The first pause between two of them, which then doubles; 200 ms. */
  readonly firstRetryMs?: number;
  /** How long a request that was cancelled may go on where it matters how it ends; 5 min. */
  readonly longestGraceMs?: number;
  /** Bytes of a part at least, where objects are sent in parts. */
  readonly partBytes?: number;
}
