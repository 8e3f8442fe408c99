import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type MultipartUpload } from "@aws-sdk/client-s3";
import { ObjectStoreError } from "../object-store-error.ts";
import type { S3Requests } from "./s3-requests.ts";

/**
 * Gives up all uploads under a key but our own: those that a lost answer left behind, whose names are unknown, and
 * those of a process that was killed. Parts of an upload cost money as long as it is there. Not everybody may do that,
 * and it is worth neither failing nor waiting for.
 */
export async function giveUpAbandoned(
  requests: S3Requests,
  key: string,
  own: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const operation = requests.operation("put", key);
  try {
    for (const { UploadId } of await uploadsOf(requests, key, signal)) {
      if (UploadId === own) continue;
      const input = { Bucket: requests.bucket, Key: key, UploadId };
      await requests.sendOnce(
        operation,
        (client, options) => client.send(new AbortMultipartUploadCommand(input), options),
        { signal },
      );
    }
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error;
  }
}

/** The list is sorted by keys, so those of a key come before those of longer ones. */
async function uploadsOf(
  requests: S3Requests,
  key: string,
  signal: AbortSignal | undefined,
): Promise<readonly MultipartUpload[]> {
  const input = { Bucket: requests.bucket, Prefix: key };
  const { Uploads = [] } = await requests.sendOnce(
    requests.operation("put", key),
    (client, options) => client.send(new ListMultipartUploadsCommand(input), options),
    { signal },
  );
  return Uploads.filter(({ Key }) => Key === key);
}
