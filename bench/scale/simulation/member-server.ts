import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { createServer as createSocketServer, type Server } from "node:net";
import { GrpcStatus } from "@etcd-operator/etcd-client/grpc/grpc-failure.ts";
import { MEMBER_LIST, RANGE } from "./answers.ts";
import type { Members } from "./members.ts";
import type { CertificatesFor } from "./mounted-certificates.ts";

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

/**
 * All members of all clusters: which of them is asked shows by the address that was dialled. It listens where members
 * are and nowhere else: the port is that of every etcd, and whatever else runs on the machine must not end up here.
 */
export class MemberServer {
  readonly #members: Members;
  readonly #port: number;
  /** Takes over whatever connects to one of the listeners. */
  readonly #server: Http2Server | Http2SecureServer;
  readonly #listeners = new Map<string, Server>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #calls = new Map<string, number>();
  readonly #clusters = new Set<string>();
  #lastClusterAtMs = 0;

  constructor(members: Members, port: number, certificatesFor?: CertificatesFor) {
    this.#members = members;
    this.#server = certificatesFor ? secureServer(certificatesFor) : createServer();
    this.#port = port;
    members.watcher = { came: (address) => this.#listen(address), went: (address) => this.#leave(address) };
    this.#server.on("session", (session) => this.#welcome(session));
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

  async close(): Promise<void> {
    this.#members.watcher = undefined;
    for (const address of this.#listeners.keys()) this.#leave(address);
    for (const session of this.#sessions) session.destroy();
  }

  #listen(address: string): void {
    const listener = createSocketServer((socket) => this.#server.emit("connection", socket));
    this.#listeners.set(address, listener);
    listener.listen(this.#port, address);
  }

  #leave(address: string): void {
    this.#listeners.get(address)?.close();
    this.#listeners.delete(address);
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
    if (this.#members.isSilent(address)) return;
    this.#calls.set(path, (this.#calls.get(path) ?? 0) + 1);
    const member = this.#members.at(address);
    const answers = member && this.#members.answersOf(member);
    const bytes = answers?.get(path);
    if (!answers) refuse(stream, GrpcStatus.unavailable, "no member serves here");
    else if (!bytes) refuse(stream, GrpcStatus.unimplemented, `unknown method ${path}`);
    else if (path === RANGE && !this.#members.hasMajority(member)) {
      refuse(stream, GrpcStatus.unavailable, "etcdserver: no leader");
    } else {
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

/** It asks for a certificate, as etcd does. */
function secureServer(certificatesFor: CertificatesFor): Http2SecureServer {
  return createSecureServer({
    ...{ requestCert: true, rejectUnauthorized: true },
    SNICallback: (host, done) => {
      certificatesFor(host).then(
        (context) => done(null, context),
        (error: Error) => done(error),
      );
    },
  });
}

function refuse(stream: ServerHttp2Stream, status: number, message: string): void {
  stream.respond({ ...HEADERS, "grpc-status": String(status), "grpc-message": message }, { endStream: true });
}
