export type KubeletErrorCode =
  | "missing-object" // a Secret, ConfigMap or claim that a pod refers to is not there (yet)
  | "invalid-pod" // the pod asks for what cannot be
  | "volume-in-use" // on another node, and for one at a time
  | "set-up-failed" // a namespace, mount or process could not be made
  | "killed"; // while it was being set up

/** What keeps a pod or one of its containers from starting. */
export class KubeletError extends Error {
  override readonly name = "KubeletError";

  readonly code: KubeletErrorCode;

  constructor(code: KubeletErrorCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** What the file system says of a refusal, without paths: those of this machine are no business of the API's users. */
export function systemMessageOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  return error.message.replace(/ '.*$/s, "");
}
