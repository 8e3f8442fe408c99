import type { PutOptions, StoreTuning, WorkerEndpoint } from "@etcd-operator/object-store";
import { sendBlocks, WorkerClient } from "@etcd-operator/object-store";

export interface Push extends Pick<PutOptions, "signal" | "onProgress"> {
  /** Of the file, in hexadecimal; anything else that arrives is refused. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly tuning?: StoreTuning;
}

/**
 * Sends a snapshot to the `receive` container of a pod, which verifies it and ends. Throws ObjectStoreErrors and what
 * the source throws. When only the last answer was lost this fails as "unavailable" although it succeeded: the state of
 * the container decides.
 */
export async function pushSnapshot(
  endpoint: WorkerEndpoint,
  source: AsyncIterable<Uint8Array>,
  { sizeBytes, sha256, tuning = {}, ...options }: Push,
): Promise<void> {
  const client = new WorkerClient(endpoint, tuning);
  try {
    await sendBlocks(client, source, {
      operation: `send a snapshot of ${sizeBytes} bytes to ${endpoint.address}`,
      finish: { sha256 },
      ...options,
    });
  } finally {
    client.close();
  }
}
