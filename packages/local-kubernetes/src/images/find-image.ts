import { executableInPath } from "../processes/executable.ts";
import { etcdImage } from "./etcd-image.ts";
import { type Image, plainImage } from "./image.ts";
import { ImageError } from "./image-error.ts";
import { type ImageReference, parseImageReference } from "./image-reference.ts";
import { operatorImage } from "./operator-image.ts";

export interface PullOptions {
  readonly signal: AbortSignal;
  /** Told what takes long while it happens. */
  readonly tell?: (progress: string) => void;
}

type Maker = (reference: ImageReference, options: PullOptions) => Image | Promise<Image>;

// By the last part of the repository: mirrors of an image keep that part.
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

/** The machine's own shell and tools, which stand in for busybox. */
export function toolsImage(): Image {
  return { ...plainImage, id: "local://tools@this-machine", cmd: ["sh"] };
}

/** One program of the machine as an image, such as kubectl. */
export async function programImage(program: string, path = process.env.PATH ?? ""): Promise<Image> {
  const source = await executableInPath(program, path);
  if (!source) throw new ImageError("unobtainable", `${program} is not installed on this machine`);
  return {
    ...plainImage,
    id: `local://${program}@this-machine`,
    entrypoint: [program],
    binds: [{ source, target: `/usr/local/bin/${program}` }],
  };
}
