import { createLogger, ListenError } from "@etcd-operator/controller-runtime";
import { KubernetesError, messageOf, onAbort } from "@etcd-operator/kubernetes-client";
import { OperatorError } from "./operator-error.ts";
import { type OperatorOptions, runOperator } from "./run-operator.ts";

/**
 * Runs the operator as this process until the signal aborts. Returns the exit code; the caller exits with it, because a
 * part that did not wind up in time would keep the process alive.
 */
export async function runOperatorProcess(options: OperatorOptions, stop: AbortSignal): Promise<number> {
  const format = process.stderr.isTTY ? "text" : "json";
  const logger = options.logger ?? createLogger({ level: options.flags.logLevel, format });
  const unlink = onAbort(stop, () => logger.info({ signal: stop.reason }, "stopping"));
  // Node.js would end the process too, but not report it in a line that a machine can read.
  process.once("uncaughtException", (error) => {
    logger.fatal({ err: error }, "unexpected error");
    process.exit(1);
  });
  try {
    await runOperator({ ...options, logger }, stop);
    logger.info("stopped");
    return 0;
  } catch (error) {
    // What has a sentence of its own needs no stack; anything else is a defect of ours.
    const facts = isExplained(error) ? { code: error.code } : { err: error };
    logger.fatal(facts, messageOf(error));
    return 1;
  } finally {
    unlink();
  }
}

function isExplained(error: unknown): error is KubernetesError | OperatorError | ListenError {
  return error instanceof KubernetesError || error instanceof OperatorError || error instanceof ListenError;
}
