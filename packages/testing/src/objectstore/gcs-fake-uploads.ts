import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { open } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { type GcsQuestion, GcsRefusal, invalid, onlyParameters, sendJson } from "./gcs-fake-answer.ts";
import type { FakeBucket } from "./gcs-fake-objects.ts";

/** Google keeps whole multiples of it only, and wants chunks of such sizes. */
const GRANULE = 262_144;

interface Session {
  readonly name: string;
  readonly bucket: FakeBucket;
  readonly begun: URLSearchParams;
  readonly file: string;
  persisted: number;
  state: "open" | "completed" | "cancelled";
  metadata: unknown;
  /** Requests to a session go one after another. */
  queue: Promise<unknown>;
}

/** The resumable uploads of the fake. */
export class FakeUploads {
  /** The next chunk is kept only up to so many bytes, as Google may do at any time. */
  keepAtMost = Number.POSITIVE_INFINITY;
  readonly #dir: string;
  readonly #sessions = new Map<string, Session>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Names of the objects whose upload was neither completed nor cancelled. */
  get open(): string[] {
    return [...this.#sessions.values()].filter(({ state }) => state === "open").map(({ name }) => name);
  }

  /**
   * The same, without those that never got a byte: a client that lost the answer to its first request does not know
   * what to cancel.
   */
  get begun(): string[] {
    const sessions = [...this.#sessions.values()].filter(({ state, persisted }) => state === "open" && persisted > 0);
    return sessions.map(({ name }) => name);
  }

  /** As if a week had passed. */
  forget(): void {
    this.#sessions.clear();
  }

  async begin(bucket: FakeBucket, { query, incoming, path }: GcsQuestion, answer: ServerResponse): Promise<void> {
    onlyParameters(query, ["uploadType", "name", "ifGenerationMatch"]);
    if (query.get("uploadType") !== "resumable") throw invalid("the fake takes resumable uploads only");
    const name = query.get("name") ?? "";
    checkName(name);
    await once(incoming.resume(), "end");
    bucket.checkConditions(name, query);
    const id = randomBytes(24).toString("base64url");
    const file = join(this.#dir, id);
    await (await open(file, "w")).close();
    this.#sessions.set(id, {
      ...{ name, bucket, begun: query, file },
      ...{ persisted: 0, state: "open", metadata: undefined, queue: Promise.resolve() },
    });
    const location = `http://${incoming.headers.host}${path}?uploadType=resumable&upload_id=${id}`;
    answer.writeHead(200, { location, "x-guploader-uploadid": id, "content-length": 0 }).end();
  }

  async go(question: GcsQuestion, answer: ServerResponse): Promise<void> {
    onlyParameters(question.query, ["uploadType", "upload_id"]);
    const session = this.#sessions.get(question.query.get("upload_id") ?? "");
    if (!session) throw new GcsRefusal(404, "notFound", "The upload is unknown, or too old.");
    const run = () => (question.method === "DELETE" ? cancel(session, answer) : this.#put(session, question, answer));
    const mine = session.queue.then(run);
    session.queue = mine.catch(() => undefined);
    await mine;
  }

  async #put(session: Session, { incoming }: GcsQuestion, answer: ServerResponse): Promise<void> {
    if (session.state === "completed") return sendJson(answer, 200, session.metadata);
    if (session.state === "cancelled") throw new GcsRefusal(499, "clientClosedRequest", "The upload was cancelled.");
    const range = contentRange(incoming.headers["content-range"]);
    if (Number(incoming.headers["content-length"]) !== range.size)
      throw invalid("Content-Length and Content-Range differ");
    if (range.size > 0 && range.start !== session.persisted) {
      throw invalid(`the chunk begins at ${range.start}, and ${session.persisted} bytes are there`);
    }
    const isLast = range.total === range.start + range.size;
    if (range.size > 0 && !isLast && range.size % GRANULE !== 0) throw invalid("the chunk is no multiple of 256 KiB");
    const room = range.size <= this.keepAtMost ? range.size : this.keepAtMost - (this.keepAtMost % GRANULE);
    this.keepAtMost = Number.POSITIVE_INFINITY;
    await keep(session, incoming, room);
    if (session.persisted !== range.total) return incomplete(session, answer);
    session.bucket.checkConditions(session.name, session.begun);
    session.state = "completed";
    session.metadata = session.bucket.store({ ...session, sizeBytes: session.persisted });
    sendJson(answer, 200, session.metadata);
  }
}

function cancel(session: Session, answer: ServerResponse): void {
  if (session.state === "completed") throw new GcsRefusal(404, "notFound", "The upload is over.");
  session.state = "cancelled";
  answer.writeHead(499, { "content-length": 0 }).end();
}

function incomplete({ persisted }: Session, answer: ServerResponse): void {
  const range = persisted > 0 ? { range: `bytes=0-${persisted - 1}` } : undefined;
  answer.writeHead(308, { ...range, "content-length": 0 }).end();
}

/** Of a chunk whose connection breaks, what came of it stays, rounded down. */
async function keep(session: Session, body: AsyncIterable<Buffer>, room: number): Promise<void> {
  const file = await open(session.file, "r+");
  let kept = 0;
  try {
    for await (const piece of body) {
      const { length } = piece.subarray(0, Math.max(0, room - kept));
      await file.write(piece, 0, length, session.persisted + kept);
      kept += length;
    }
    session.persisted += kept;
  } catch (error) {
    session.persisted += kept - (kept % GRANULE);
    throw error;
  } finally {
    await file.close();
  }
}

// "bytes 0-9/10" or "bytes 0-9/*" with bytes; "bytes */10" or "bytes */*" without.
function contentRange(header = ""): { start: number; size: number; total: number | undefined } {
  const [, first, last, whole] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header) ?? [];
  if (whole === undefined) throw invalid(`Invalid Content-Range '${header}'`);
  const total = whole === "*" ? undefined : Number(whole);
  if (first === undefined) return { start: total ?? -1, size: 0, total };
  const [start, end] = [Number(first), Number(last)];
  if (end < start || (total !== undefined && end >= total)) throw invalid(`Invalid Content-Range '${header}'`);
  return { start, size: end - start + 1, total };
}

function checkName(name: string): void {
  const size = Buffer.byteLength(name);
  if (size === 0 || size > 1_024 || /[\r\n]/.test(name) || name === "." || name === "..") {
    throw invalid("Invalid object name");
  }
}
