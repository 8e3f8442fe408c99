import { createReadStream } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SnapshotCheck } from "@etcd-operator/etcd-client";
import {
  startWorkerServer,
  Uploads,
  uploadRoutes,
  WorkerError,
  type WorkerIdentity,
} from "@etcd-operator/object-store";

export interface Receiving extends WorkerIdentity {
  /** Path of the snapshot. */
  readonly file: string;
  readonly port: number;
  readonly host?: string | undefined;
}

export interface Receiver {
  readonly port: number;
  /** Resolves when the snapshot is there, verified and safe on the disk. */
  readonly received: Promise<void>;
  /** Stops it; answers that are on their way still reach the client. */
  close(): Promise<void>;
}

const READ_BYTES = 1 << 20;
// For the last answer.
const GRACE_MS = 5_000;

/** Waits for one snapshot. Only a verified one ever gets the name of the file. */
export async function receiveSnapshot({ file, ...serving }: Receiving): Promise<Receiver> {
  const uploads = new Uploads(join(dirname(file), "receiving"));
  let done = () => {};
  const received = new Promise<void>((resolve) => {
    done = resolve;
  });
  const routes = uploadRoutes(uploads, ({ query }) => ({
    verify: (arrived) => checkArrived(arrived, query.get("sha256") ?? ""),
    async make(arrived) {
      await rename(arrived, file);
      await syncFolder(dirname(file));
      done();
      return {};
    },
  }));
  const server = await startWorkerServer(serving, routes, serving);
  return {
    port: server.port,
    received,
    async close() {
      await server.close(GRACE_MS);
      await uploads.cancelAll();
    },
  };
}

/** Throws unless a file is the announced snapshot, and complete. The data on the disk counts, not what was sent. */
async function checkArrived(file: string, sha256: string): Promise<void> {
  const check = new SnapshotCheck();
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
    check.update(chunk);
  }
  const found = check.sha256();
  if (found !== sha256) throw new WorkerError("corrupt", `its SHA-256 is ${found}, not ${sha256} as announced`);
  const verdict = check.verdict();
  if (verdict !== "ok") throw new WorkerError("corrupt", `it is not a complete etcd snapshot (${verdict})`);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
