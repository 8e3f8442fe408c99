const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Ctrl-C or SIGTERM, handled from the start of a program, before it is known which of its commands will run. */
export interface StopRequest {
  /** Aborts with the name of the first signal as its reason; a second one ends the process at once. */
  readonly signal: AbortSignal;
  /** For a command with nothing to wind up: signals end the process as usual, also one that has come already. */
  release(): void;
}

export function stopRequest(): StopRequest {
  const controller = new AbortController();
  const hear = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort(name);
  };
  for (const name of STOP_SIGNALS) process.on(name, hear);
  const release = () => {
    for (const name of STOP_SIGNALS) process.off(name, hear);
    if (controller.signal.aborted) process.kill(process.pid, String(controller.signal.reason));
  };
  return { signal: controller.signal, release };
}
