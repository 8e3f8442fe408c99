import { ObjectStoreError } from "@etcd-operator/object-store";
import type { StoreType } from "../../api/backup/backup-store.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";

/** As much of an EtcdBackup's or EtcdRestore's spec as says where backups lie. */
export type StoreSpec = Blocks & { readonly storageType?: StoreType; readonly backupStorageType?: StoreType };

type Blocks = Pick<EtcdBackup["spec"], "s3" | "abs" | "gcs" | "oss" | "volume">;
type Block<Name extends keyof Blocks> = NonNullable<Blocks[Name]>;

/** The block that is filled in, its path taken apart. */
export type StoreBlock = CloudBlock | VolumeBlock;

export type CloudBlock = { readonly bucket: string; readonly key: string } & (
  | { readonly type: "S3"; readonly block: Block<"s3"> }
  | { readonly type: "ABS"; readonly block: Block<"abs"> }
  | { readonly type: "GCS"; readonly block: Block<"gcs"> }
  | { readonly type: "OSS"; readonly block: Block<"oss"> }
);

export interface VolumeBlock {
  readonly type: "Volume";
  readonly block: Block<"volume">;
  readonly key: string;
}

/** Admission ensures that there is exactly one, and the one that is named. */
export function storeBlockOf(spec: StoreSpec): StoreBlock {
  const { s3, abs, gcs, oss, volume } = spec;
  if (s3) return { type: "S3", block: s3, ...partsOf(s3.path) };
  if (abs) return { type: "ABS", block: abs, ...partsOf(abs.path) };
  if (gcs) return { type: "GCS", block: gcs, ...partsOf(gcs.path) };
  if (oss) return { type: "OSS", block: oss, ...partsOf(oss.path) };
  if (volume) return { type: "Volume", block: volume, key: volume.path };
  const type = spec.storageType ?? spec.backupStorageType;
  throw new ObjectStoreError("invalid", {
    operation: "open store",
    message: `the block of storage type '${type}' is missing: add it to the spec`,
  });
}

/** What a status calls a key. */
export function pathIn(block: StoreBlock, key: string): string {
  return block.type === "Volume" ? key : `${block.bucket}/${key}`;
}

function partsOf(path: string): { readonly bucket: string; readonly key: string } {
  const slash = path.indexOf("/");
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}
