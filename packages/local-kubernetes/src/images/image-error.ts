export type ImageErrorCode = "unknown-image" | "unobtainable" | "aborted";

/** Why an image cannot be had on this machine. */
export class ImageError extends Error {
  override readonly name = "ImageError";

  readonly code: ImageErrorCode;

  constructor(code: ImageErrorCode, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}
