/** Why local mode cannot run here; the message says what to do. */
export class LocalModeError extends Error {
  override readonly name = "LocalModeError";
}
