import { setMaxListeners } from "node:events";
import { type ClientHttp2Stream, constants } from "node:http2";
import { canceledBy, GrpcFailure, GrpcStatus } from "./grpc-failure.ts";

/** How long a call may take, and who may give it up. */
export interface Limits {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How large a message of the answer may be; 4 MiB. */
  readonly mostBytes?: number | undefined;
}

/** The deadline as a header, so that the server stops working on a call whose caller has stopped waiting. */
export function timeoutHeader({ timeoutMs }: Limits): Record<string, string> {
  return timeoutMs === undefined ? {} : { "grpc-timeout": `${Math.max(1, Math.ceil(timeoutMs))}m` };
}

/**
 * Cancels the stream at its deadline or when the signal fires, and tells why; the returned function ends the watching.
 * Not by `AbortSignal.any` over `AbortSignal.timeout`: neither can be released, and no clock of a test moves the
 * latter.
 */
export function enforce(stream: ClientHttp2Stream, limits: Limits, onGiveUp: (why: GrpcFailure) => void): () => void {
  const { timeoutMs, signal } = limits;
  const giveUp = (why: GrpcFailure) => {
    release();
    onGiveUp(why);
    stream.close(constants.NGHTTP2_CANCEL);
  };
  const onAbort = () => signal && giveUp(canceledBy(signal));
  const onDeadline = () => giveUp(new GrpcFailure(GrpcStatus.deadlineExceeded, `no answer within ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(onDeadline, timeoutMs);
  if (signal) {
    // One signal may stop any number of calls; Node warns of a leak from the eleventh on.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", onAbort);
  }
  function release(): void {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
  return release;
}
