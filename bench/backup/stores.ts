import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { Cleanup } from "../cleanup.ts";
import { OPERATED } from "../cluster/by-operator.ts";
import { startMinio } from "./minio-server.ts";

type Location = Pick<EtcdBackup["spec"], "storageType" | "s3" | "volume">;

/** A place for backups, under a path each. */
export interface Place {
  readonly name: string;
  /** How much longer it may take than `etcdctl snapshot save`. */
  readonly goal: number;
  at(path: string): Location;
}

const CLAIM = "backups";
const BUCKET = "backups";
const AWS_SECRET = "aws";

/** A claim of local mode: a folder on the disk of this machine. */
export async function aVolume(client: KubeClient): Promise<Place> {
  await client.create(resources.persistentVolumeClaims, {
    metadata: { namespace: OPERATED, name: CLAIM },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "20Gi" } } },
  });
  return {
    name: "volume",
    goal: 1 / 0.8,
    at: (path) => ({ storageType: "Volume", volume: { claimName: CLAIM, path } }),
  };
}

/** A real S3 server on the same machine, which needs its share of the processors and of the disk. */
export async function anS3Bucket(client: KubeClient, cleanup: Cleanup): Promise<Place> {
  const server = await cleanup.use(startMinio(BUCKET), (started) => started.stop());
  const { url: endpoint, accessKeyId, secretAccessKey } = server;
  const lines = ["[default]", `aws_access_key_id = ${accessKeyId}`, `aws_secret_access_key = ${secretAccessKey}`];
  await client.create(resources.secrets, {
    metadata: { namespace: OPERATED, name: AWS_SECRET },
    stringData: { credentials: `${lines.join("\n")}\n`, config: "[default]\nregion = us-east-1\n" },
  });
  return {
    name: "S3",
    goal: 1 / 0.6,
    at: (path) => ({
      storageType: "S3",
      s3: { path: `${BUCKET}/${path}`, awsSecret: AWS_SECRET, endpoint, forcePathStyle: true },
    }),
  };
}
