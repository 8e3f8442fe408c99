import { Duplex, type Readable, type Writable } from "node:stream";
import type { ChannelSocket } from "./channel-socket.ts";
import { SpdyConnection, type SpdyStream } from "./spdy/spdy-connection.ts";

/** What a client shares with a program in a container. */
export interface CommandStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** How it ended, as a Status. */
  readonly failure: Writable;
  /** Changes of the size of the client's terminal. */
  readonly resize: Readable;
  /** Resolves when the client has gone. */
  readonly gone: Promise<void>;
  /** Ends the connection after what was written. */
  close(): void;
}

const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, failure: 3, resize: 4 } as const;

export function channelStreams(socket: ChannelSocket): CommandStreams {
  const [stdin, stdout, stderr, failure, resize] = Object.values(CHANNELS).map((number) => socket.channel(number));
  if (!stdin || !stdout || !stderr || !failure || !resize) throw new Error("unreachable");
  const gone = new Promise<void>((resolve) => failure.once("close", resolve));
  return { stdin, stdout, stderr, failure, resize, gone, close: () => socket.close() };
}

const PATIENCE_MS = 30_000;

/** Waits until the client has opened the streams it announced; undefined: it did not. */
export async function spdyStreams(
  transport: Duplex,
  wanted: readonly string[],
  log: (message: string) => void,
): Promise<CommandStreams | undefined> {
  const opened = new Map<string, SpdyStream>();
  let complete: (isIt: boolean) => void = () => undefined;
  const isComplete = new Promise<boolean>((resolve) => {
    complete = resolve;
  });
  const connection = new SpdyConnection(transport, (stream) => {
    opened.set(stream.headers.get("streamtype") ?? "", stream);
    if (wanted.every((type) => opened.has(type))) complete(true);
  });
  const gone = connection.run().catch((error: unknown) => log(String(error)));
  const impatience = setTimeout(() => complete(false), PATIENCE_MS);
  void gone.then(() => complete(false));
  const isThere = await isComplete;
  clearTimeout(impatience);
  if (!isThere) return void connection.close();
  // Of what was not asked for there is no stream.
  const stream = (type: string) => opened.get(type) ?? nowhere();
  return {
    ...{ stdin: stream("stdin"), stdout: stream("stdout"), stderr: stream("stderr") },
    ...{ failure: stream("error"), resize: stream("resize") },
    gone,
    close: () => connection.close(),
  };
}

function nowhere(): Duplex {
  return new Duplex({
    read() {
      this.push(null);
    },
    write: (_chunk, _encoding, done) => done(),
  });
}
