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
    const splitter = new FrameSplitter();
    const messages: Uint8Array[] = [];
    const release = enforce(stream, limits, reject);
    const finish = (failure: GrpcFailure | undefined) => {
      release();
      if (failure) reject(failure);
      else if (messages[0] && messages.length === 1) resolve(messages[0]);
      else reject(new GrpcFailure(GrpcStatus.internal, `expected one message, got ${messages.length}`));
    };
    stream.on("data", (chunk: Buffer) => {
      try {
        messages.push(...splitter.push(chunk));
      } catch (error) {
        stream.destroy();
        finish(connectionLost(error));
      }
    });
    // Without a status the stream was cut off, and "error" or "close", which follow, know more than "end".
    stream.on("end", () => status.isKnown && finish(status.failure));
    stream.on("error", (error) => finish(status.isKnown ? status.failure : connectionLost(error)));
    stream.on("close", () => finish(status.failure));
    stream.end(frame(message));
  });
}
