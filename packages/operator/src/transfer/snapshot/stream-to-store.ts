import { linkedAbort } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { Sent } from "./read-back.ts";
import { metadataKey } from "./snapshot-metadata.ts";
import { SnapshotSource } from "./snapshot-source.ts";
import type { SnapshotRequest } from "./take-snapshot.ts";

/** Brings a snapshot from its member into the store: by the short way where there is one, else through this process. */
export async function streamToStore(request: SnapshotRequest, signal: AbortSignal): Promise<Sent> {
  onSent(request, 0);
  const sent = await sendDirectly(request, signal);
  return sent === "unreachable" ? relay(request, signal) : sent;
}

async function sendDirectly(request: SnapshotRequest, signal: AbortSignal): Promise<Sent | "unreachable"> {
  const { member, key, takeDirectly } = request;
  if (!takeDirectly) return "unreachable";
  const { clusterId, memberId, dbSizeBytes } = member.status;
  const taking = {
    order: { endpoint: member.endpoint, clusterId, memberId, dbSizeBytes },
    key,
    onProgress: (bytes: number) => onSent(request, bytes),
    beforeEnd: () => makeRoomFor(request, signal),
  };
  return takeDirectly(taking, signal);
}

async function relay(request: SnapshotRequest, signal: AbortSignal): Promise<Sent> {
  const { member, store, key, clock } = request;
  const { dbSizeBytes: expectedBytes } = member.status;
  const abort = linkedAbort(signal);
  const source = new SnapshotSource(member.client.snapshot({ signal: abort.signal }), {
    clock,
    from: `etcd ${member.client.endpoint}`,
    expectedBytes,
    cancel: abort.abort,
    beforeEnd: () => makeRoomFor(request, signal),
  });
  const onProgress = (bytes: number) => onSent(request, bytes);
  try {
    await store.put(key, source, { signal: abort.signal, expectedBytes, onProgress });
  } catch (error) {
    // The error of a cancelled call is not the cause.
    throw abort.signal.aborted && abort.signal.reason instanceof Error ? abort.signal.reason : error;
  } finally {
    abort.unlink();
  }
  return source.sent;
}

function onSent({ member, onProgress }: SnapshotRequest, bytes: number): void {
  const totalBytes = Math.max(bytes, member.status.dbSizeBytes);
  onProgress({ step: "Streaming the snapshot", bytes, totalBytes });
}

/** The object that had the same key may have metadata, which must not describe another object. */
export async function makeRoomFor(
  { store, key, fence }: Pick<SnapshotRequest, "store" | "key" | "fence">,
  signal: AbortSignal,
): Promise<void> {
  fence(`storing '${key}'`);
  await store.delete(metadataKey(key), { signal }).catch((error: unknown) => Promise.reject(notReplaced(key, error)));
}

/** The user did not ask for that deletion: the message names its purpose. */
function notReplaced(key: string, error: unknown): unknown {
  if (!(error instanceof ObjectStoreError) || error.code !== "access-denied") return error;
  const why = error.message.slice(error.operation.length + ": ".length);
  const message = `cannot delete the metadata of the older backup, if there is any: ${why}`;
  const operation = error.operation.replace(/^delete /, "put ").replace(metadataKey(key), key);
  return new ObjectStoreError(error.code, { operation, message });
}
