import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Directory, OpenObject } from "./directory.ts";
import { numberIn } from "./number-in.ts";
import { uploadRoutes } from "./upload-routes.ts";
import type { Uploads } from "./uploads.ts";
import { WorkerError } from "./worker-error.ts";
import type { Routes, WorkerRequest } from "./worker-server.ts";

const LONGEST_PAGE = 1_000;
const READ_BYTES = 1 << 20;

/** What a worker that serves a directory can be asked. */
export function directoryRoutes(directory: Directory, uploads: Uploads): Routes {
  return {
    ...uploadRoutes(uploads, ({ query }) => {
      const key = keyIn(query);
      return { make: (file) => directory.publish(file, key) };
    }),
    "GET /": async () => undefined,
    "GET /objects": ({ query }) => directory.list(query.get("prefix") ?? "", query.get("after") ?? "", limitIn(query)),
    "GET /object": async (request, response) =>
      sendObject(await directory.open(keyIn(request.query)), request, response),
    "DELETE /object": ({ query }) => directory.delete(keyIn(query)),
    "GET /stat": async ({ query }) => ({ object: await directory.stat(keyIn(query)) }),
  };
}

async function sendObject(
  found: OpenObject,
  { headers, query }: WorkerRequest,
  response: ServerResponse,
): Promise<void> {
  const { handle, etag, object } = found;
  try {
    if (headers["if-match"] !== undefined && headers["if-match"] !== etag) {
      throw new WorkerError("corrupt", "the file was replaced while it was being read: read it again");
    }
    const offset = Math.min(numberIn(query, "offset") ?? 0, object.sizeBytes);
    const length = Math.min(numberIn(query, "length") ?? Number.POSITIVE_INFINITY, object.sizeBytes - offset);
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": length, etag });
    if (length === 0) return void response.end();
    const bytes = handle.createReadStream({
      start: offset,
      end: offset + length - 1,
      highWaterMark: READ_BYTES,
      autoClose: false,
    });
    await pipeline(bytes, response);
  } finally {
    await handle.close();
  }
}

function keyIn(query: URLSearchParams): string {
  return query.get("key") ?? "";
}

function limitIn(query: URLSearchParams): number {
  return Math.min(numberIn(query, "limit") || LONGEST_PAGE, LONGEST_PAGE);
}
