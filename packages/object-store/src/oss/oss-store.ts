import type { ObjectStore } from "../object-store.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import { S3ObjectStore } from "../s3/s3-object-store.ts";
import type { OssSettings, StoreTuning } from "../store-settings.ts";
import { ossEndpoint } from "./oss-endpoint.ts";

/** A bucket of Alibaba Cloud OSS, by way of the protocol of S3, which it speaks as well as its own. */
export function ossStore(settings: OssSettings, tuning: StoreTuning, env = process.env): ObjectStore {
  const { bucket, endpoint, accessKeyId, accessKeySecret, lookup } = settings;
  if (!accessKeyId || !accessKeySecret) {
    const message = "'accessKeyID' or 'accessKeySecret' is missing or empty: fill in both";
    throw new ObjectStoreError("bad-credentials", { operation: "read the Secret for OSS", message });
  }
  const { url, region } = ossEndpoint(endpoint);
  const connection = {
    kind: "oss",
    bucket,
    endpoint: url,
    region,
    // OSS refuses the bucket in the path.
    forcePathStyle: false,
    sendsChecksums: false,
    keys: { accessKeyId, secretAccessKey: accessKeySecret },
    role: undefined,
    lookup,
    env,
  } as const;
  return new S3ObjectStore(connection, tuning);
}
