import { Directory } from "./directory.ts";
import { directoryRoutes } from "./directory-routes.ts";
import { Uploads } from "./uploads.ts";
import { type Routes, startWorkerServer, type WorkerIdentity } from "./worker-server.ts";

export interface DirectoryServing extends WorkerIdentity {
  readonly directory: string;
  readonly port: number;
  readonly host?: string;
  /** No request for so long means that the process that started it is gone. */
  readonly idleMs: number;
  /** What it can be asked beyond that: other ways to fill an upload. */
  readonly moreRoutes?: (uploads: Uploads) => Routes;
}

export interface ServedDirectory {
  readonly port: number;
  /** Resolves when there was no request for too long. */
  readonly idle: Promise<void>;
  /** Ends it, and removes what was not finished. */
  close(): Promise<void>;
}

/** Serves a directory as an object store. */
export async function serveDirectory(serving: DirectoryServing): Promise<ServedDirectory> {
  const directory = new Directory(serving.directory);
  const uploads = new Uploads(directory.uploadsFolder);
  await uploads.removeAbandoned(Date.now());
  const routes = { ...directoryRoutes(directory, uploads), ...serving.moreRoutes?.(uploads) };
  const server = await startWorkerServer(serving, routes, serving);
  let timer: NodeJS.Timeout | undefined;
  const idle = new Promise<void>((resolve) => {
    const look = () => {
      const leftMs = server.lastBusyAt() + serving.idleMs - performance.now();
      if (leftMs <= 0) resolve();
      else timer = setTimeout(look, leftMs);
    };
    look();
  });
  return {
    port: server.port,
    idle,
    async close() {
      clearTimeout(timer);
      await server.close();
      await uploads.cancelAll();
    },
  };
}
