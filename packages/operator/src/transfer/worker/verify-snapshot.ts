import { createReadStream } from "node:fs";
import { SnapshotCheck } from "@etcd-operator/etcd-client";
import { WorkerError } from "@etcd-operator/object-store";

const READ_BYTES = 1 << 20;

/** Throws unless a file is the snapshot that was announced, and whole. What is on the disk counts, not what was sent. */
export async function verifySnapshot(file: string, sha256: string): Promise<void> {
  const check = new SnapshotCheck();
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
    check.update(chunk);
  }
  const found = check.sha256();
  if (found !== sha256) throw new WorkerError("corrupt", `its SHA-256 is ${found}, not ${sha256} as announced`);
  const verdict = check.verdict();
  if (verdict !== "ok") throw new WorkerError("corrupt", `it is no whole snapshot of etcd (${verdict})`);
}
