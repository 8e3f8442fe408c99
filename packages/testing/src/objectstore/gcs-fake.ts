import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GcsQuestion, GcsRefusal, sendRefusal } from "./gcs-fake-answer.ts";
import { FakeOauth } from "./gcs-fake-oauth.ts";
import { FakeBucket } from "./gcs-fake-objects.ts";
import { FakeUploads } from "./gcs-fake-uploads.ts";

/**
 * A fake of Google Cloud Storage, for no real server can be had: the JSON API as far as the store uses it, and strict
 * about it. It keeps objects as files.
 */
export interface GcsFake {
  readonly url: string;
  readonly bucket: string;
  readonly oauth: FakeOauth;
  readonly uploads: FakeUploads;
  stop(): Promise<void>;
}

export async function startGcsFake(bucket = "backups"): Promise<GcsFake> {
  const dir = await mkdtemp(join(tmpdir(), "gcs-fake-"));
  const parts = {
    oauth: new FakeOauth(),
    uploads: new FakeUploads(dir),
    buckets: new Map([[bucket, new FakeBucket(bucket)]]),
  };
  const server = createServer((incoming, answer) => {
    const question = questionOf(incoming);
    handle(parts, question, answer).catch((error: unknown) => sendRefusal(answer, question, error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    oauth: parts.oauth,
    uploads: parts.uploads,
    async stop() {
      server.closeAllConnections();
      await once(server.close(), "close");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Parts {
  readonly oauth: FakeOauth;
  readonly uploads: FakeUploads;
  readonly buckets: ReadonlyMap<string, FakeBucket>;
}

async function handle(
  { oauth, uploads, buckets }: Parts,
  question: GcsQuestion,
  answer: ServerResponse,
): Promise<void> {
  const { method, path, query } = question;
  if (await oauth.answer(question, answer)) return;
  const [, isUpload, bucketName = "", objectName] =
    /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(path) ?? [];
  // The address of a session is all the proof it needs; a token that is shown has to be good all the same.
  const isSession = isUpload !== undefined && query.has("upload_id");
  if (!isSession || question.incoming.headers.authorization) oauth.check(question);
  if (isSession && (method === "PUT" || method === "DELETE")) return await uploads.go(question, answer);
  const bucket = buckets.get(decodeURIComponent(bucketName));
  if (!bucket) throw new GcsRefusal(404, "notFound", "The specified bucket does not exist.");
  if (isUpload && method === "POST" && !objectName) return await uploads.begin(bucket, question, answer);
  if (isUpload) throw new GcsRefusal(405, "methodNotAllowed", "Method Not Allowed");
  if (method === "GET" && !objectName) return bucket.list(question, answer);
  const name = decodeURIComponent(objectName ?? "");
  if (method === "GET") return await bucket.get(name, question, answer);
  if (method === "DELETE" && objectName) return bucket.delete(name, question, answer);
  throw new GcsRefusal(405, "methodNotAllowed", "Method Not Allowed");
}

function questionOf(incoming: IncomingMessage): GcsQuestion {
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://fake");
  return { method: incoming.method ?? "GET", path: pathname, query: searchParams, incoming };
}
