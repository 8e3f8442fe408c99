import type { Readable, Writable } from "node:stream";
import type { ChannelSocket } from "./channel-socket.ts";

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
