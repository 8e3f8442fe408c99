import { huffmanText } from "./huffman.ts";

/** A block of header fields that says everything in full: nobody has to remember earlier ones to read it. */
export function headerBlock(fields: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(fields)) parts.push(Buffer.of(0), plainText(name), plainText(value));
  return Buffer.concat(parts);
}

function plainText(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  // Longer ones would need a length of several bytes.
  if (bytes.length >= SEVEN_BITS) throw new Error(`the header text is too long: ${text}`);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

const SEVEN_BITS = 0x7f;
const FIRST_STATUS = 8;
const STATUSES = ["200", "204", "206", "304", "400", "404", "500"];

/**
 * The fields of a block from a peer that was told to remember none (a header table of size 0). Those of HTTP/2's own list are left
 * out, but for the status: what gRPC says has names of its own.
 */
export function headerFields(block: Uint8Array): Map<string, string> {
  return new HeaderReader(block).fields();
}

class HeaderReader {
  readonly #block: Uint8Array;
  #at = 0;

  constructor(block: Uint8Array) {
    this.#block = block;
  }

  fields(): Map<string, string> {
    const fields = new Map<string, string>();
    while (this.#at < this.#block.length) {
      const first = this.#block[this.#at] ?? 0;
      if (first & 0x80) this.#listed(fields, this.#number(0x7f));
      else if ((first & 0xe0) === 0x20) this.#number(0x1f);
      else {
        const listed = this.#number((first & 0x40) === 0 ? 0x0f : 0x3f);
        const name = listed === 0 ? this.#text() : isStatus(listed) ? ":status" : `#${listed}`;
        fields.set(name, this.#text());
      }
    }
    return fields;
  }

  #listed(fields: Map<string, string>, index: number): void {
    const status = STATUSES[index - FIRST_STATUS];
    if (status !== undefined) fields.set(":status", status);
    else if (index > 61) throw new Error("the server refers to header fields that it was told to forget");
  }

  #number(mask: number): number {
    let value = this.#byte() & mask;
    if (value < mask) return value;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error("a number in the header fields has no end");
  }

  #text(): string {
    const isShortened = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#number(0x7f);
    const end = this.#at + length;
    if (end > this.#block.length) throw new Error("the header fields end too early");
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    return isShortened ? huffmanText(bytes) : Buffer.from(bytes).toString("latin1");
  }

  #byte(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new Error("the header fields end too early");
    this.#at += 1;
    return byte;
  }
}

function isStatus(listed: number): boolean {
  return listed >= FIRST_STATUS && listed < FIRST_STATUS + STATUSES.length;
}
