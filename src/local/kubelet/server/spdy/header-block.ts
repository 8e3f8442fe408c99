import { createInflate, type Inflate } from "node:zlib";

// Both sides of SPDY/3 begin with the same text in their window, so that the usual words of HTTP compress to a few bytes.
const WORDS =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow " +
  "authorization cache-control connection content-base content-encoding content-language content-length " +
  "content-location content-md5 content-range content-type date etag expect expires from host if-match " +
  "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma " +
  "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade " +
  "user-agent vary via warning www-authenticate method get status";
const MORE_WORDS = ["200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"];
const REST =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505" +
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized" +
  "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable" +
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT" +
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript," +
  "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

export const spdyDictionary = Buffer.concat([
  ...[...WORDS.split(" "), ...MORE_WORDS].map(withLength),
  Buffer.from(REST, "latin1"),
]);

export type Headers = ReadonlyMap<string, string>;

/** Reads the header blocks of one direction of a connection, in the order they came: each builds on those before. */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: spdyDictionary });
  #plain: Buffer[] = [];

  constructor() {
    this.#inflate.on("data", (chunk: Buffer) => this.#plain.push(chunk));
  }

  async read(block: Buffer): Promise<Headers> {
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once("error", reject);
      this.#inflate.write(block, () => {
        this.#inflate.off("error", reject);
        resolve();
      });
    });
    const plain = Buffer.concat(this.#plain);
    this.#plain = [];
    return parsed(plain);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

function parsed(plain: Buffer): Headers {
  const headers = new Map<string, string>();
  let at = 0;
  const number = () => {
    at += 4;
    return plain.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    at += length;
    return plain.toString("latin1", at - length, at);
  };
  for (let left = number(); left > 0; left--) {
    const name = text();
    // Several values of a name are parted by zero bytes; nobody here has more than one.
    headers.set(name.toLowerCase(), text().split("\0")[0] ?? "");
  }
  return headers;
}

// "Deflate, made with a dictionary", and the dictionary's checksum.
const ZLIB_HEAD = Buffer.from([0x78, 0x20, 0xe3, 0xc6, 0xa7, 0xc2]);
// An empty block, at which the reader hands on what it has.
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Writes header blocks as blocks of deflate that are not compressed: ours are a few bytes, and this needs no waiting. */
export class HeaderWriter {
  #isFirst = true;

  write(headers: Headers): Buffer {
    const pairs = [...headers].flatMap(([name, value]) => [withLength(name), withLength(value)]);
    const plain = Buffer.concat([uint32(headers.size), ...pairs]);
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(plain.length, 1);
    stored.writeUInt16LE(0xffff - plain.length, 3);
    const head = this.#isFirst ? [ZLIB_HEAD] : [];
    this.#isFirst = false;
    return Buffer.concat([...head, stored, plain, FLUSH]);
  }
}

function withLength(text: string): Buffer {
  return Buffer.concat([uint32(text.length), Buffer.from(text, "latin1")]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
