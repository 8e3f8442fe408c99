import type { Readable } from "node:stream";

/** What says why a request was refused. A Status is far shorter. */
const MOST_REFUSAL_BYTES = 64 << 10;

/**
 * An object, as JSON. etcd takes no request above 1.5 MiB, and what Kubernetes keeps of a built-in kind can grow
 * sixfold as JSON: any tenant's object has to be read, or it would stop the watch of all others.
 */
export const MOST_OBJECT_BYTES = 16 << 20;

/** A page of a list; where the objects of one are larger together, fewer are asked for. */
export const MOST_PAGE_BYTES = 32 << 20;

/** An answer that is longer than it may be. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(mostBytes: number) {
    super(`the answer is larger than the limit of ${mostBytes} bytes`);
  }
}

/** The text of an answer; throws AnswerTooLarge, and gives the connection up, where that is longer than it may be. */
export async function wholeText(body: Readable, mostBytes: number): Promise<string> {
  const { bytes, isWhole } = await beginningOf(body, mostBytes);
  if (!isWhole) throw new AnswerTooLarge(mostBytes);
  return bytes.toString("utf8");
}

/** The text of a refusal; what is too long is cut off, for the status says enough. */
export async function refusalText(body: Readable): Promise<string> {
  return (await beginningOf(body, MOST_REFUSAL_BYTES)).bytes.toString("utf8");
}

async function beginningOf(body: Readable, mostBytes: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  // What is left unread may still fail.
  body.on("error", () => undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= mostBytes) continue;
    body.destroy();
    return { bytes: Buffer.concat(chunks).subarray(0, mostBytes), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
