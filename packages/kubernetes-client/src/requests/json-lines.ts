import { MOST_OBJECT_BYTES } from "./bounded-text.ts";

const NEWLINE = 0x0a;

/** What surrounds an object in an event is small. */
const MAX_LINE_BYTES = MOST_OBJECT_BYTES + 4_096;

/** Parses a stream of JSON documents, one per line; holds at most one line and one chunk. */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  // Split at bytes, not at characters: a chunk may end within a character, a newline byte never is part of one.
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      begun.push(chunk.subarray(start, end));
      const line = Buffer.concat(begun).toString("utf8");
      begun = [];
      begunBytes = 0;
      start = end + 1;
      if (line.trim()) yield JSON.parse(line);
    }
    begunBytes += chunk.length - start;
    if (begunBytes > MAX_LINE_BYTES) throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes`);
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  if (begunBytes > 0) throw new Error("the stream ended within a line");
}
