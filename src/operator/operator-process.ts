import { createLogger } from "../observability/logger.ts";
import { type OperatorOptions, runOperator } from "./run-operator.ts";

/**
 * Runs the operator as this process: SIGTERM and Ctrl-C end it in order, a second one at once. Returns the exit code; the caller
 * exits with it, because a part that did not wind up in time would keep the process alive.
 */
export async function runOperatorProcess(options: OperatorOptions): Promise<number> {
  const format = process.stderr.isTTY ? "text" : "json";
  const logger = options.logger ?? createLogger({ level: options.flags.logLevel, format });
  const abort = new AbortController();
  const stop = (signal: NodeJS.Signals) => {
    if (abort.signal.aborted) process.exit(1);
    logger.info({ signal }, "stopping");
    abort.abort();
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
  // Node.js would end the process too, but not say so in a line that a machine can read.
  process.once("uncaughtException", (error) => {
    logger.fatal({ err: error }, "an error that nobody expected");
    process.exit(1);
  });
  try {
    await runOperator({ ...options, logger }, abort.signal);
    logger.info("stopped");
    return 0;
  } catch (error) {
    logger.fatal({ err: error }, error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    process.off("SIGTERM", stop).off("SIGINT", stop);
  }
}
