import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startWorkerServer, Uploads, uploadRoutes, type WorkerIdentity } from "@etcd-operator/object-store";
import { verifySnapshot } from "./verify-snapshot.ts";

export interface Receiving extends WorkerIdentity {
  /** Where the snapshot goes. */
  readonly file: string;
  readonly port: number;
  readonly host?: string | undefined;
}

export interface Receiver {
  readonly port: number;
  /** Resolves when the snapshot is there, verified and safe on the disk. */
  readonly received: Promise<void>;
  /** Ends it; answers that are on their way still reach who asked. */
  close(): Promise<void>;
}

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
    verify: (arrived) => verifySnapshot(arrived, query.get("sha256") ?? ""),
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
