import { AnswerStatus } from "./answer-status.ts";
import { FrameSplitter, frame } from "./frame.ts";
import { canceledBy, connectionLost, GrpcFailure, GrpcStatus } from "./grpc-failure.ts";
import { enforce, type Limits, timeoutHeader } from "./limits.ts";
import type { Session } from "./session.ts";

/** One question, one answer, sent once: no failure makes it go out a second time. */
export function unary(session: Session, path: string, message: Uint8Array, limits: Limits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (limits.signal?.aborted) return reject(canceledBy(limits.signal));
    const stream = session.request(path, timeoutHeader(limits));
    const status = new AnswerStatus(stream);
    const splitter = new FrameSplitter(limits.mostBytes === undefined ? {} : { mostBytes: limits.mostBytes });
    let answer: Uint8Array | undefined;
    const release = enforce(stream, limits, reject);
    const finish = (failure: GrpcFailure | undefined) => {
      release();
      if (failure) reject(failure);
      else if (answer) resolve(answer);
      else reject(new GrpcFailure(GrpcStatus.internal, "expected one message, got none"));
    };
    stream.on("data", (chunk: Buffer) => {
      try {
        for (const message of splitter.push(chunk)) {
          if (answer) throw new GrpcFailure(GrpcStatus.internal, "expected one message, got more");
          answer = message;
        }
      } catch (error) {
        const failure = connectionLost(error);
        finish(failure);
        // A server that breaks the protocol may go on sending on a stream that is closed, but not on a connection that
        // is.
        session.close(failure.status, failure.message);
      }
    });
    // Without a status the stream was cut off, and "error" or "close", which follow, know more than "end".
    stream.on("end", () => status.isKnown && finish(status.failure));
    stream.on("error", (error) => finish(status.isKnown ? status.failure : connectionLost(error)));
    stream.on("close", () => finish(status.failure));
    stream.end(frame(message));
  });
}
