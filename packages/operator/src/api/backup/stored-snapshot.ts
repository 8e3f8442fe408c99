import * as z from "zod";
import { int32, int64, timestamp } from "../schema/primitives.ts";

/** A snapshot in a store, as reported in a status. */
export const storedSnapshot = z.object({
  path: z.string().max(2048).describe("Location: `<bucket>/<key>`, or the file inside the volume."),
  revision: int64(0).optional().describe("Newest revision in the snapshot."),
  etcdVersion: z.string().max(32).optional().describe("Version of etcd that wrote it."),
  clusterID: z.string().max(16).optional().describe("ID of the etcd cluster that it was taken from, in hexadecimal."),
  sizeBytes: int64(0).optional().describe("Size of the file."),
  sha256: z.string().max(64).optional().describe("SHA-256 of the file, in hexadecimal."),
  takenAt: timestamp().optional().describe("When the snapshot was started."),
});

/** The same in short, for a list. */
export const restorePoint = storedSnapshot.pick({ path: true, revision: true, takenAt: true, sizeBytes: true });

/** @public */
export type StoredSnapshot = z.output<typeof storedSnapshot>;

/** Progress of something that takes a while. */
export const transferProgress = z.object({
  startedAt: timestamp().describe("When the operation began."),
  step: z.string().max(256).describe("The current step."),
  path: z.string().max(2048).optional().describe("The object that is read or written."),
  bytes: int64(0).optional().describe("Bytes transferred so far."),
  totalBytes: int64(0).optional().describe("Total bytes, if known."),
  percent: int32(0, 100).optional().describe("`bytes` of `totalBytes`, in percent."),
  done: z.string().max(64).optional().describe("Progress as text, such as `24 % of 1 GiB`."),
});
