import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { GrpcStatus } from "../../../src/etcd/grpc/grpc-failure.ts";
import { MEMBER_LIST } from "./answers.ts";
import type { Members } from "./members.ts";

/** What was asked since the last mark. */
export interface Asked {
  /** How often, by the path of the call. */
  readonly calls: Readonly<Record<string, number>>;
  /** Clusters whose list of members was asked for, which is the last question of a pass. */
  readonly clusters: number;
  /** When that was so for the last of them, in milliseconds since 1970. */
  readonly lastClusterAtMs: number;
}

const HEADERS = { ":status": 200, "content-type": "application/grpc" };
const OK = { "grpc-status": "0" };

/** All members of all clusters behind one socket: which of them is asked shows by the address that was dialled. */
export class MemberServer {
  readonly #members: Members;
  readonly #server: Http2Server = createServer();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #calls = new Map<string, number>();
  readonly #clusters = new Set<string>();
  #lastClusterAtMs = 0;

  constructor(members: Members) {
    this.#members = members;
    this.#server.on("session", (session) => this.#welcome(session));
  }

  async listen(port: number): Promise<number> {
    // Not on one address: on all of those that members have.
    this.#server.listen(port, "0.0.0.0", 4_096);
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** Forgets what was asked so far. */
  mark(): void {
    this.#calls.clear();
    this.#clusters.clear();
    this.#lastClusterAtMs = 0;
  }

  get asked(): Asked {
    const { size: clusters } = this.#clusters;
    return { calls: Object.fromEntries(this.#calls), clusters, lastClusterAtMs: this.#lastClusterAtMs };
  }

  get connections(): number {
    return this.#sessions.size;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const session of this.#sessions) session.destroy();
    await closed;
  }

  #welcome(session: ServerHttp2Session): void {
    const address = session.socket.localAddress ?? "";
    this.#sessions.add(session);
    session.on("error", () => undefined);
    session.on("close", () => this.#sessions.delete(session));
    session.on("stream", (stream, headers) => this.#answer(address, stream, headers[":path"] ?? ""));
  }

  #answer(address: string, stream: ServerHttp2Stream, path: string): void {
    stream.on("error", () => undefined);
    stream.resume();
    this.#calls.set(path, (this.#calls.get(path) ?? 0) + 1);
    const member = this.#members.at(address);
    const answers = member && this.#members.answersOf(member);
    const bytes = answers?.get(path);
    if (!answers) refuse(stream, GrpcStatus.unavailable, "nobody serves here");
    else if (!bytes) refuse(stream, GrpcStatus.unimplemented, `unknown method ${path}`);
    else {
      if (path === MEMBER_LIST) this.#noteCluster(member.cluster);
      stream.respond(HEADERS, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers(OK));
      stream.end(bytes);
    }
  }

  #noteCluster(cluster: string): void {
    if (this.#clusters.has(cluster)) return;
    this.#clusters.add(cluster);
    this.#lastClusterAtMs = Date.now();
  }
}

function refuse(stream: ServerHttp2Stream, status: number, message: string): void {
  stream.respond({ ...HEADERS, "grpc-status": String(status), "grpc-message": message }, { endStream: true });
}
