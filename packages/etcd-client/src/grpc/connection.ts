import type { Endpoint } from "../endpoint.ts";
import { GrpcFailure, GrpcStatus } from "./grpc-failure.ts";
import { type KeepAlive, Session } from "./session.ts";

const CLOSED = "the client was closed";

/** Keeps one usable session to an endpoint: opened by the first call, replaced by the first call after it broke. */
export class Connection {
  readonly #endpoint: Endpoint;
  readonly #keepAlive: KeepAlive;
  // More than one only while an old one, after its server's GOAWAY, still serves the calls it has.
  readonly #sessions = new Set<Session>();
  #current: Session | undefined;
  #isClosed = false;

  constructor(endpoint: Endpoint, keepAlive: KeepAlive) {
    this.#endpoint = endpoint;
    this.#keepAlive = keepAlive;
  }

  session(): Session {
    if (this.#isClosed) throw new GrpcFailure(GrpcStatus.canceled, CLOSED);
    if (this.#current?.isUsable) return this.#current;
    const session: Session = new Session(this.#endpoint, this.#keepAlive, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    this.#current = session;
    return session;
  }

  /** Ends every call and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.close(GrpcStatus.canceled, CLOSED);
  }
}
