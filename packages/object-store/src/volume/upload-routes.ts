import type { ServerResponse } from "node:http";
import { numberIn } from "./number-in.ts";
import type { Finishing, Uploads } from "./uploads.ts";
import { WorkerError, workerErrorOf } from "./worker-error.ts";
import type { Routes, WorkerRequest } from "./worker-server.ts";

// Far more often than anybody calls a connection dead.
const SIGN_OF_LIFE_MS = 2_000;

/** How files reach a worker: in blocks, which become an object when the sender says that it is whole. */
export function uploadRoutes(uploads: Uploads, finishing: (request: WorkerRequest) => Finishing<unknown>): Routes {
  return {
    "PUT /upload": ({ query, body }) => uploads.write(idIn(query), numberIn(query, "offset") ?? 0, body),
    "DELETE /upload": async ({ query }) => ({ made: await uploads.cancel(idIn(query)) }),
    "POST /upload": async (request, response) => {
      const [id, sizeBytes] = [idIn(request.query), numberIn(request.query, "size") ?? 0];
      // A small file is sent and finished in one.
      if (request.query.has("whole") && !uploads.isFinished(id)) await uploads.write(id, 0, request.body);
      await withSignsOfLife(response, uploads.finish(id, sizeBytes, finishing(request)));
    },
  };
}

/**
 * Writing a large file to the disk for good takes a while, in which nothing would be heard. So the answer begins at
 * once, with spaces, and how it went out is said at its end.
 */
async function withSignsOfLife(response: ServerResponse, work: Promise<unknown>): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  response.write(" ");
  const timer = setInterval(() => response.write(" "), SIGN_OF_LIFE_MS);
  try {
    response.end(JSON.stringify({ made: await work }));
  } catch (error) {
    const { code, message } = workerErrorOf(error);
    response.end(JSON.stringify({ code, message }));
  } finally {
    clearInterval(timer);
  }
}

/** The id of the upload that a request is about. */
export function idIn(query: URLSearchParams): string {
  const id = query.get("id") ?? "";
  if (/^[0-9a-f]{32}$/.test(id)) return id;
  throw new WorkerError("invalid", "an upload has 32 hexadecimal digits as its id");
}
