import * as z from "zod";
import { int32, int64, timestamp } from "../schema/primitives.ts";

/** A snapshot in a store, as a status tells of it. */
export const storedSnapshot = z.object({
  path: z.string().max(2048).describe("Where it lies: `<bucket>/<key>`, or the file inside the volume."),
  revision: int64(0).optional().describe("Newest revision in it."),
  etcdVersion: z.string().max(32).optional().describe("Version of etcd that it comes from."),
  clusterID: z.string().max(16).optional().describe("Id of the etcd cluster that it comes from, in hexadecimal."),
  sizeBytes: int64(0).optional().describe("Size of the file."),
  sha256: z.string().max(64).optional().describe("SHA-256 of the whole file, in hexadecimal."),
  takenAt: timestamp().optional().describe("When it was begun."),
});

/** The same in short, for a list. */
export const restorePoint = storedSnapshot.pick({ path: true, revision: true, takenAt: true, sizeBytes: true });

/** @public */
export type StoredSnapshot = z.output<typeof storedSnapshot>;

/** How far something has got that takes a while. */
export const transferProgress = z.object({
  startedAt: timestamp().describe("When it began."),
  step: z.string().max(256).describe("What is being done."),
  path: z.string().max(2048).optional().describe("The object in question."),
  bytes: int64(0).optional().describe("Bytes so far."),
  totalBytes: int64(0).optional().describe("Bytes in all, as far as is known."),
  percent: int32(0, 100).optional().describe("`bytes` of `totalBytes`, in whole percents."),
  done: z.string().max(64).optional().describe("The same for people, such as `24 % of 1 GiB`."),
});
