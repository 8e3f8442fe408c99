export type ImageErrorCode = "unknown-image" | "unobtainable" | "aborted";

/** Why an image cannot be had on this machine. */
export class ImageError extends Error {
  override readonly name = "ImageError";

  constructor(
    readonly code: ImageErrorCode,
    message: string,
    options?: { readonly cause: unknown },
  ) {
    super(message, options);
  }
}
