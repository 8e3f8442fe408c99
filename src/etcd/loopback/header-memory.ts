import { headerBlock, headerFields } from "./header-fields.ts";

const MOST_KNOWN = 16;

/** The blocks of header fields of one connection: the same few begin and end nearly every call. */
export class HeaderMemory {
  readonly #authority: string;
  readonly #blocks = new Map<string, Buffer>();
  readonly #known = new Map<string, ReadonlyMap<string, string>>();

  constructor(authority: string) {
    this.#authority = authority;
  }

  /** What begins a call; the further headers of a path are always the same. */
  blockFor(path: string, headers: Readonly<Record<string, string>>): Buffer {
    const known = this.#blocks.get(path);
    if (known) return known;
    const block = headerBlock({
      ...{ ":method": "POST", ":scheme": "http", ":authority": this.#authority, ":path": path },
      ...{ "content-type": "application/grpc+proto", te: "trailers", ...headers },
    });
    this.#blocks.set(path, block);
    return block;
  }

  fieldsIn(block: Buffer): ReadonlyMap<string, string> {
    const text = block.toString("latin1");
    const known = this.#known.get(text);
    if (known) return known;
    const fields = headerFields(block);
    if (this.#known.size < MOST_KNOWN) this.#known.set(text, fields);
    return fields;
  }
}
