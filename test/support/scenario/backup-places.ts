import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from "@aws-sdk/client-s3";
import type { EtcdBackup } from "../../../src/api/etcd-backup.ts";
import type { EtcdRestore } from "../../../src/api/etcd-restore.ts";
import type { ObjectStore } from "../../../src/objectstore/object-store.ts";
import { openStore } from "../../../src/objectstore/open-store.ts";
import { startAzurite } from "../objectstore/azurite.ts";
import { type FaultProxy, startFaultProxy } from "../objectstore/fault-proxy.ts";
import { startGcsFake } from "../objectstore/gcs-fake.ts";
import { type S3Server, startS3Server } from "../objectstore/s3-server.ts";

type Blocks = Pick<EtcdBackup["spec"], "s3" | "abs" | "gcs" | "oss" | "volume">;

/** A store that scenarios put backups into: a server of its own where it is a cloud's. */
export interface BackupPlace {
  readonly type: EtcdBackup["spec"]["storageType"];
  /** What has to be in the namespace: a Secret, or a claim. */
  readonly objects: readonly object[];
  /** What must be seen nowhere. */
  readonly canaries: readonly string[];
  /** The blocks of an EtcdBackup that puts a backup under this key. */
  block(key: string): Blocks;
  /** The key of what a status calls by its path. */
  keyAt(path: string): string;
  /** A look into it that does not go through the operator; a volume has none. */
  open?(): Promise<ObjectStore>;
  /** What an operator needs to find it. */
  readonly operatorEnv?: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** An S3 server behind a proxy that breaks what it is told to break. Looks into it go past the proxy. */
export interface FaultyPlace extends BackupPlace {
  readonly faults: FaultProxy;
  open(): Promise<ObjectStore>;
  /** Uploads in parts that were begun and neither completed nor given up. */
  unfinishedUploads(): Promise<readonly string[]>;
  /** The keys of those. */
  uploads(): Promise<readonly string[]>;
  makeBucket(name: string): Promise<void>;
}

const BUCKET = "backups";
const NAMESPACE = "default";

export function backupTo(place: BackupPlace, key: string): Pick<EtcdBackup["spec"], "storageType"> & Blocks {
  return { storageType: place.type, ...place.block(key) };
}

export function restoreFrom(place: BackupPlace, key: string): Pick<EtcdRestore["spec"], "backupStorageType"> & Blocks {
  return { backupStorageType: place.type, ...place.block(key) };
}

export async function s3Place(): Promise<BackupPlace> {
  const server = await startS3Server({ bucket: BUCKET });
  return s3PlaceAt(server, server.url);
}

export async function faultyS3Place(): Promise<FaultyPlace> {
  const server = await startS3Server({ bucket: BUCKET });
  const faults = await startFaultProxy({ upstream: server.url });
  const { url: endpoint, region, accessKeyId, secretAccessKey } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  return {
    ...s3PlaceAt(server, faults.url),
    faults,
    unfinishedUploads: () => server.unfinishedUploads(),
    async uploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      return Uploads.map(({ Key = "" }) => Key);
    },
    async makeBucket(Bucket) {
      await client.send(new CreateBucketCommand({ Bucket }));
    },
    async stop() {
      client.destroy();
      await faults.close();
      await server.stop();
    },
  };
}

function s3PlaceAt(server: S3Server, endpoint: string) {
  const { url, region, accessKeyId, secretAccessKey } = server;
  const profile = {
    credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    config: `[default]\nregion = ${region}\n`,
  };
  return {
    type: "S3",
    objects: [aSecret("aws", profile)],
    canaries: [secretAccessKey],
    block: (key: string) => ({ s3: { path: `${BUCKET}/${key}`, awsSecret: "aws", endpoint, forcePathStyle: true } }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "s3", bucket: BUCKET, endpoint: url, forcePathStyle: true, profile }),
    stop: () => server.stop(),
  } as const;
}

/** No server of OSS itself can be had: one that speaks S3 takes its place. Before an address of numbers no bucket can stand. */
export async function ossPlace(): Promise<BackupPlace> {
  const server = await startS3Server({ bucket: BUCKET, region: "oss" });
  const { url: endpoint, accessKeyId, secretAccessKey: accessKeySecret } = server;
  return {
    type: "OSS",
    objects: [aSecret("oss", { accessKeyID: accessKeyId, accessKeySecret })],
    canaries: [accessKeySecret],
    block: (key) => ({ oss: { path: `${BUCKET}/${key}`, ossSecret: "oss", endpoint } }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "oss", bucket: BUCKET, endpoint, accessKeyId, accessKeySecret }),
    stop: () => server.stop(),
  };
}

export async function azurePlace(): Promise<BackupPlace> {
  const azurite = await startAzurite(BUCKET);
  const { url, account, accountKey } = azurite;
  return {
    type: "ABS",
    objects: [aSecret("azure", { "storage-account": account, "storage-key": accountKey, cloud: url })],
    canaries: [accountKey],
    block: (key) => ({ abs: { path: `${BUCKET}/${key}`, absSecret: "azure" } }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "abs", container: BUCKET, account, accountKey, cloud: url }),
    stop: () => azurite.stop(),
  };
}

export async function gcsPlace(): Promise<BackupPlace> {
  const fake = await startGcsFake(BUCKET);
  const { url: endpoint, oauth } = fake;
  const account = oauth.serviceAccount();
  const credentialsJson = JSON.stringify(account);
  return {
    type: "GCS",
    objects: [aSecret("gcp", { "credentials.json": credentialsJson })],
    canaries: account.private_key.split("\n").slice(1, 3),
    block: (key) => ({ gcs: { path: `${BUCKET}/${key}`, gcpSecret: "gcp" } }),
    keyAt: keyInBucket,
    open: () => openStore({ kind: "gcs", bucket: BUCKET, endpoint, credentialsJson }),
    operatorEnv: { STORAGE_EMULATOR_HOST: endpoint },
    stop: () => fake.stop(),
  };
}

export async function volumePlace(claimName = "backups"): Promise<BackupPlace> {
  return {
    type: "Volume",
    objects: [aClaim(claimName)],
    canaries: [],
    block: (path) => ({ volume: { claimName, path } }),
    keyAt: (path) => path,
    stop: async () => undefined,
  };
}

function keyInBucket(path: string): string {
  return path.slice(BUCKET.length + 1);
}

export function aSecret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: NAMESPACE, name }, stringData };
}

export function aClaim(name: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: NAMESPACE, name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
  };
}
