import type { Container } from "kubernetes-types/core/v1.d.ts";
import type { Image } from "../images/image.ts";
import type { ImageStore } from "./image-store.ts";

/** Whether a container's image is there, has to be pulled, or why it cannot be had for now. */
export type ImageFinding =
  | { readonly kind: "ready"; readonly image: Image }
  | { readonly kind: "pull" }
  | { readonly kind: "held"; readonly reason: string; readonly message: string; readonly waitMs: number };

const retryMs = 2_000;

/** Looks for the image of a container without waiting for anything. */
export function lookForImage(images: Pick<ImageStore, "known">, container: Container, now: number): ImageFinding {
  const name = container.image ?? "";
  const known = images.known(name);
  if (known?.kind === "ready") return { kind: "ready", image: known.image };
  if (known) {
    const message = `Back-off pulling image "${name}": ${known.message}`;
    return { kind: "held", reason: "ImagePullBackOff", message, waitMs: known.retryAt - now };
  }
  if (container.imagePullPolicy !== "Never") return { kind: "pull" };
  const message = `Container image "${name}" is not present with pull policy of Never`;
  return { kind: "held", reason: "ErrImageNeverPull", message, waitMs: retryMs };
}
