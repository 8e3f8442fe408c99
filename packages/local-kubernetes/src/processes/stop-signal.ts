const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Aborts on Ctrl-C or SIGTERM, so that what is under way can end in order. Repeating it changes nothing: timeout(1),
 * for one, sends every signal twice, and what is cut short in its cleaning leaves things behind.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of STOP_SIGNALS) process.on(name, () => controller.abort());
  return controller.signal;
}
