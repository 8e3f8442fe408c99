import type { Readable } from "node:stream";

/** What says why something was refused; whatever is longer is not meant to be read. */
export const MOST_ERROR_BYTES = 64 << 10;
/** A thousand names of a kilobyte, each with what belongs to it; and anything else that is read as a whole. */
export const MOST_ANSWER_BYTES = 8 << 20;

/** An answer that is longer than it may be; the boundary of the store makes its own error of it. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(mostBytes: number) {
    super(
      `the server's answer is larger than the limit of ${mostBytes} bytes: check that its address is one of a store`,
    );
  }
}

/** The text of an answer; throws AnswerTooLarge, and gives the connection up, where that is longer than it may be. */
export async function wholeText(body: Readable, mostBytes = MOST_ANSWER_BYTES): Promise<string> {
  const { bytes, isWhole } = await beginningOf(body, mostBytes);
  if (!isWhole) throw new AnswerTooLarge(mostBytes);
  return bytes.toString("utf8");
}

/** The text of a refusal; what is too long is cut off, for the status says enough. */
export async function refusalText(body: Readable): Promise<string> {
  return (await beginningOf(body, MOST_ERROR_BYTES)).bytes.toString("utf8");
}

/** Reads up to so many bytes. Where there are more, the rest is never asked for, and its connection is closed. */
export async function beginningOf(
  body: AsyncIterable<Uint8Array> & Pick<Readable, "destroy" | "on">,
  mostBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  // What is left unread may still fail.
  body.on("error", () => undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= mostBytes) continue;
    body.destroy();
    return { bytes: Buffer.concat(chunks).subarray(0, mostBytes), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
