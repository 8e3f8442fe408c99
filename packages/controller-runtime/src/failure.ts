/** One word for what went wrong, for logs and metrics: the code of an error that has one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" && code !== "" ? code : error.name;
}

/** How long the server that failed asks to be left alone. */
export function retryAfterMsOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("retryAfterMs" in error)) return undefined;
  return typeof error.retryAfterMs === "number" ? error.retryAfterMs : undefined;
}

/** An update conflict: normal between controllers, and the next reconcile reads what the other client wrote. */
export function isConflict(error: unknown): boolean {
  return reasonOf(error) === "conflict";
}

/**
 * Whether a status should report a failure: not an update conflict, nor that this process ends, as the next reconcile
 * differs.
 */
export function isWorthTelling(error: unknown): error is Error {
  return error instanceof Error && !isConflict(error) && reasonOf(error) !== "canceled";
}
