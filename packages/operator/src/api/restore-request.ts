import * as z from "zod";
import { GROUP } from "./group.ts";

/**
 * On an EtcdCluster: the restore that it should go through. The controller of EtcdRestores writes it once the snapshot
 * is verified and the existing data is safe; the controller of EtcdClusters answers in `status.restore`. So they may be
 * two processes.
 */
export const RESTORE_ANNOTATION = `${GROUP}/restore`;
/** On the pod of a restored seed: UID of the EtcdRestore whose snapshot its first init container waits for. */
export const RESTORE_UID_ANNOTATION = `${GROUP}/restore-uid`;

const restoreRequest = z.object({
  /** Of the EtcdRestore. */
  name: z.string(),
  uid: z.string(),
  /** What the restored cluster must have at least. */
  revision: z.int().min(0),
  sizeBytes: z.int().min(0),
  /** SHA-256 of the file, in hexadecimal. */
  sha256: z.string(),
  /** How far revisions are raised above those of the snapshot; 0 for not at all. */
  revisionBump: z.int().min(0),
  /**
   * Whether a verified snapshot of the previous data is in a store: then stopped members may be deleted where a new one
   * finds no other place.
   */
  isSaved: z.boolean().optional(),
  /**
   * The newest revision in that snapshot, and the etcd cluster that it is of, in hexadecimal. What members have beyond
   * that is in no store.
   */
  saved: z.object({ revision: z.int().min(0), clusterID: z.string() }).optional(),
  /** The restore was cancelled: the previous cluster is rolled back to, unless the restored cluster serves already. */
  isCanceled: z.boolean().optional(),
  /** The restored cluster has been healthy. Recorded here too: if its status is lost, it must not be restored again. */
  isDone: z.boolean().optional(),
});

export type RestoreRequest = z.output<typeof restoreRequest>;

/** Undefined when there is none, or none that can be read: then nothing is done. */
export function restoreRequestOf(metadata: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): RestoreRequest | undefined {
  const text = metadata.annotations?.[RESTORE_ANNOTATION];
  if (!text) return undefined;
  try {
    return restoreRequest.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function restoreAnnotation(request: RestoreRequest): Record<string, string> {
  return { [RESTORE_ANNOTATION]: JSON.stringify(request) };
}
