import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { AnswerTooLarge, beginningOf, MOST_ANSWER_BYTES, MOST_ERROR_BYTES } from "../bounded-body.ts";
import { onAbort } from "../on-abort.ts";

type Handler = S3Client["config"]["requestHandler"];
type Handle = Handler["handle"];

// Slower than any line on which a backup would end in time.
const SLOWEST_BYTES_PER_MS = 64;

/** An answer that took too long as a whole, though something moved now and then. */
class AnswerTooSlow extends Error {
  // What the SDK calls a server that fell silent.
  override readonly name = "TimeoutError";
}

/**
 * The SDK's own way to a server, with limits: it reads whatever comes as an error or a list, for as long as something
 * comes. Each request has an answer in time, and all of it is read here, up to a limit; but for the contents of an
 * object, which go on to the caller.
 */
export function boundedHandler(inner: Handler, patienceMs: number): Handler {
  const handle: Handle = async (request, options) => {
    const abortSignal = options && "abortSignal" in options ? options.abortSignal : undefined;
    const stop = new AbortController();
    // The SDK's signals are of two kinds; both have what is needed.
    const unlink = onAbort(abortSignal as AbortSignal | undefined, () => stop.abort());
    const sentBytes = Number(request.headers["content-length"] ?? 0);
    const waitMs = patienceMs + sentBytes / SLOWEST_BYTES_PER_MS;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      stop.abort();
    }, waitMs);
    let goesOn = false;
    try {
      const answer = await inner.handle(request, { ...options, abortSignal: stop.signal });
      goesOn = isContents(request) && answer.response.statusCode < 300;
      if (!goesOn) answer.response.body = await bounded(answer.response);
      return answer;
    } catch (error) {
      throw isLate ? new AnswerTooSlow(`the answer was not there within ${Math.round(waitMs)} ms`) : error;
    } finally {
      clearTimeout(timer);
      if (!goesOn) unlink();
    }
  };
  return new Proxy(inner, {
    get: (target, name) => {
      if (name === "handle") return handle;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function isContents({ query }: { readonly query?: object | undefined }): boolean {
  return (query as Readonly<Record<string, unknown>> | undefined)?.["x-id"] === "GetObject";
}

async function bounded({ statusCode, body }: { readonly statusCode: number; readonly body?: Readable }) {
  if (!body) return body;
  const isRefusal = statusCode >= 300;
  const mostBytes = isRefusal ? MOST_ERROR_BYTES : MOST_ANSWER_BYTES;
  const { bytes, isWhole } = await beginningOf(body, mostBytes);
  if (!isWhole && !isRefusal) throw new AnswerTooLarge(mostBytes);
  // One that was cut cannot be parsed; the status says enough.
  return Readable.from(isWhole && bytes.length > 0 ? [bytes] : []);
}
