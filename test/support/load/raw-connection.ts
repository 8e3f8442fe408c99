import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

/** Where the API server is, and as whom to speak to it. */
export interface Access {
  readonly server: string;
  /** PEM of its CA. */
  readonly ca: string;
  readonly identity: { readonly token: string } | { readonly cert: string; readonly key: string };
}

export interface Answer {
  readonly code: number;
  readonly body: Buffer;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** Opens TLS as any client does; everything else is done by hand, because a client that is measured along should cost little. */
export async function openTls({ server, ca, identity }: Access): Promise<TLSSocket> {
  const { hostname, port } = new URL(server);
  const pair = "cert" in identity ? identity : {};
  const socket = connect({ host: hostname, port: Number(port), ca, servername: "localhost", ...pair });
  socket.setNoDelay(true);
  await once(socket, "secureConnect");
  return socket;
}

export function head(access: Access, method: string, path: string, more = ""): string {
  const { identity } = access;
  const authorization = "token" in identity ? `authorization: Bearer ${identity.token}\r\n` : "";
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${authorization}${more}\r\n`;
}

/** One connection that is kept, for one request at a time. */
export class RawConnection {
  readonly #access: Access;
  readonly #socket: TLSSocket;
  #received: Buffer = Buffer.alloc(0);
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(access: Access, socket: TLSSocket) {
    this.#access = access;
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the API server closed the connection")));
  }

  static async open(access: Access): Promise<RawConnection> {
    return new RawConnection(access, await openTls(access));
  }

  async request(method: string, path: string, body = "", type = "application/json"): Promise<Answer> {
    const length = `content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(head(this.#access, method, path, length) + body);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const endOfHead = this.#received.indexOf(END_OF_HEAD);
    if (endOfHead < 0) return;
    const lines = this.#received.toString("latin1", 0, endOfHead);
    const bodyAt = endOfHead + END_OF_HEAD.length;
    const rest = this.#received.subarray(bodyAt);
    const length = /content-length: (\d+)/i.exec(lines)?.[1];
    const taken = length === undefined ? unchunked(rest) : ofLength(rest, Number(length));
    if (!taken) return;
    this.#received = rest.subarray(taken.end);
    const { body } = taken;
    this.#settle?.resolve({ code: Number(lines.slice(9, 12)), body });
  }
}

interface Taken {
  readonly body: Buffer;
  /** Where the next answer begins. */
  readonly end: number;
}

function ofLength(bytes: Buffer, length: number): Taken | undefined {
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), end: length };
}

/** The body in chunks, once the last of them is there. */
function unchunked(bytes: Buffer): Taken | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const endOfSize = bytes.indexOf("\r\n", at);
    if (endOfSize < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, endOfSize), 16);
    const end = endOfSize + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), end };
    chunks.push(bytes.subarray(endOfSize + 2, end - 2));
    at = end;
  }
}
