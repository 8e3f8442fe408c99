import { etcdImage } from "./etcd-image.ts";
import type { Image } from "./image.ts";
import { ImageError } from "./image-error.ts";
import { type ImageReference, parseImageReference } from "./image-reference.ts";
import { programImage, toolsImage } from "./machine-image.ts";
import { operatorImage } from "./operator-image.ts";

export interface PullOptions {
  readonly signal: AbortSignal;
  /** Told what takes long while it happens. */
  readonly tell?: (progress: string) => void;
}

type Maker = (reference: ImageReference, options: PullOptions) => Image | Promise<Image>;

// By the last part of the repository: whoever mirrors an image keeps that part.
const makers: Readonly<Record<string, Maker>> = {
  etcd: etcdImage,
  "etcd-operator": () => operatorImage(),
  busybox: toolsImage,
  kubectl: () => programImage("kubectl"),
};

/** Stands in for pulling: finds what an image's name means on this machine. */
export async function findImage(written: string, options: PullOptions): Promise<Image> {
  const reference = parseImageReference(written);
  const maker = Object.hasOwn(makers, reference.name) ? makers[reference.name] : undefined;
  if (maker) return maker(reference, options);
  throw new ImageError(
    "unknown-image",
    `Local mode has no image "${written}": it runs programs of this machine, not images of a registry. There are ` +
      '".../etcd:v<version>", ".../etcd-operator:<any>", ".../busybox:<any>" (this machine\'s tools) and ".../kubectl:<any>"',
  );
}
