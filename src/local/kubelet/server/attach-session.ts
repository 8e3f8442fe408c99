import type { RunningContainer } from "../container-run.ts";
import type { CommandStreams } from "./command-streams.ts";
import { exitReport } from "./exec-command.ts";
import { saidLast } from "./exec-session.ts";

/** Shows what a container prints from now on, until it ends. */
export async function serveAttach(streams: CommandStreams, { log }: RunningContainer): Promise<void> {
  const { stdout, stderr, failure } = streams;
  await new Promise<void>((resolve) => {
    const callOff = log.follow({
      onLine: ({ stream, text }) => (stream === "stdout" ? stdout : stderr).write(`${text}\n`),
      onEnd: resolve,
    });
    void streams.gone.then(() => {
      callOff();
      resolve();
    });
  });
  await Promise.all([saidLast(stdout), saidLast(stderr)]);
  await saidLast(failure, Buffer.from(JSON.stringify(exitReport(0))));
  streams.close();
}
