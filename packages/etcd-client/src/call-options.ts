import type { KeepAlive } from "./grpc/session.ts";

/** What every call accepts. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Overrides the client's. */
  readonly expectClusterId?: bigint;
}

export interface ClientOptions {
  /** For calls that name none; 5 s. */
  readonly timeoutMs?: number;
  /** Answers of any other cluster are errors ("wrong-cluster"), and nothing is ever changed in it. */
  readonly expectClusterId?: bigint;
  /** A larger message is an error ("too-large") and ends the connection; 4 MiB. */
  readonly mostMessageBytes?: number;
  /** Leave pings alone outside tests: etcd hangs up on clients that ping more often than every 5 s. */
  readonly keepAlive?: Partial<KeepAlive>;
}
